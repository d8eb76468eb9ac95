// qemu_rust.rs - calls of known numbers: prints them.
//
// SPDX-License-Identifier: MIT

use std::hint::black_box;
use std::thread;

mod shapes {
    pub trait Shape {
        fn area(&self) -> u64;
    }

    pub struct Square(pub u64);
    pub struct Strip<T>(pub u64, pub T);

    impl Shape for Square {
        #[inline(never)]
        fn area(&self) -> u64 {
            self.0 * self.0
        }
    }

    impl<T: Copy + Into<u64>> Shape for Strip<T> {
        #[inline(never)]
        fn area(&self) -> u64 {
            self.0 * self.1.into()
        }
    }
}

#[inline(never)]
fn leaf(n: u64) -> u64 {
    black_box(n) * 3
}

#[inline(always)]
fn inlined(n: u64) -> u64 {
    leaf(n) + 1
}

#[inline(never)]
fn middle(n: u64) -> u64 {
    (0..4).map(|i| inlined(n + i)).sum()
}

#[inline(never)]
fn fibonacci(n: u64) -> u64 {
    if n < 2 {
        black_box(n)
    } else {
        black_box(fibonacci(n - 1)) ^ black_box(fibonacci(n - 2))
    }
}

#[inline(never)]
fn apply<F: Fn(u64) -> u64>(f: F, n: u64) -> u64 {
    black_box(f(n))
}

#[inline(never)]
fn measure(shapes: &[Box<dyn shapes::Shape>]) -> u64 {
    shapes.iter().map(|s| s.area()).sum()
}

#[inline(never)]
fn step(n: u64) -> u64 {
    black_box(n)
}

#[inline(never)]
fn refuse(n: u64) -> u64 {
    if n % 2 == 1 {
        std::panic::resume_unwind(Box::new(n));
    }
    n
}

fn main() {
    let mut sum = 0;
    for i in 0..100 {
        sum += middle(black_box(i));
    }
    sum += fibonacci(black_box(10));
    for i in 0..30 {
        sum += apply(|n| leaf(n) + i, i);
    }
    let shapes: Vec<Box<dyn shapes::Shape>> = (0..20)
        .map(|i| -> Box<dyn shapes::Shape> {
            if i % 4 == 0 {
                Box::new(shapes::Strip(i, 2u8))
            } else {
                Box::new(shapes::Square(i))
            }
        })
        .collect();
    sum += measure(&shapes);
    let threads: Vec<_> = (1..5)
        .map(|i| thread::spawn(move || (0..100 * i).map(step).sum::<u64>()))
        .collect();
    for t in threads {
        sum += t.join().unwrap();
    }
    for i in 0..10 {
        sum += std::panic::catch_unwind(|| refuse(i)).unwrap_or(1);
    }
    black_box(sum);
    println!("qemu_rust::main qemu_rust::middle 100");
    println!("qemu_rust::middle qemu_rust::leaf 400");
    println!("qemu_rust::fibonacci qemu_rust::fibonacci 176");
    println!("* qemu_rust::leaf 430");
    println!("qemu_rust::measure <qemu_rust::shapes::Square as qemu_rust::shapes::Shape>::area 15");
    println!("* qemu_rust::step 1000");
    println!("* qemu_rust::refuse 10");
}
