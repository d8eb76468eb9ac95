// profiled.go - profiles itself: writes cpu.pb.gz and heap.pb.gz.
// SPDX-License-Identifier: MIT

package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"strings"
	"time"
)

type shape interface{ area() float64 }

type square struct{ side float64 }

func (s *square) area() float64 {
	sum := 0.0
	for i := 0; i < 100; i++ {
		sum += s.side * s.side
	}
	return sum
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func squares(a []int) int {
	sum := 0
	for _, x := range a {
		sum += x * x
	}
	return sum
}

func texts(n int) (r []string) {
	for i := 0; i < n; i++ {
		r = append(r, strings.Repeat(fmt.Sprint(i), 3))
	}
	sort.Strings(r)
	return r
}

var kept [][]string
var sum float64

func work() {
	var s shape = &square{2}
	sum += float64(fib(24))
	for i := 0; i < 20000; i++ {
		sum += s.area()
	}
	a := make([]int, 1000)
	for i := 0; i < 1000; i++ {
		a[1] += squares(a)
	}
	r := texts(5000)
	if len(kept) < 5 {
		kept = append(kept, r[:100])
	}
}

func create(name string) *os.File {
	f, err := os.Create(name)
	if err != nil {
		panic(err)
	}
	return f
}

func main() {
	runtime.MemProfileRate = 512
	cpu := create("cpu.pb.gz")
	pprof.StartCPUProfile(cpu)
	for start := time.Now(); time.Since(start) < 700*time.Millisecond; {
		work()
	}
	pprof.StopCPUProfile()
	cpu.Close()
	runtime.GC()
	heap := create("heap.pb.gz")
	pprof.WriteHeapProfile(heap)
	heap.Close()
}
