// sampled.go - a program in Go and C to be sampled, that takes half of its time
// in each, on the small stacks of goroutines.
//
// Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT

package main

/*
static volatile unsigned sink;

__attribute__ ((noinline)) static void
c_hot (unsigned turns)
{
  for (; turns != 0; turns--)
    sink = sink * 5 + 1;
}
*/
import "C"

import (
	"os"
	"strconv"
	"sync"
	"syscall"
)

var sink uint32

//go:noinline
func goHot(turns int) uint32 {
	s := sink
	for ; turns != 0; turns-- {
		s = s*5 + uint32(turns)/3
	}
	return s
}

// Deep enough to have its stack grow again and again.
//
//go:noinline
func deep(n int, place [32]byte) uint32 {
	if n == 0 {
		return goHot(10000000)
	}
	place[n%32]++
	return deep(n-1, place) + uint32(place[3])
}

// again executes this program so often, without the C library.
func again(left int) {
	goHot(100000)
	if left == 0 {
		return
	}
	arguments := []string{os.Args[0], strconv.Itoa(left - 1)}
	syscall.Exec(os.Args[0], arguments, os.Environ())
	os.Exit(98)
}

func main() {
	if len(os.Args) > 1 {
		left, _ := strconv.Atoi(os.Args[1])
		again(left)
		os.Exit(7)
	}
	var all sync.WaitGroup
	for i := 0; i < 100; i++ {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			deep(i, [32]byte{})
			C.c_hot(2000000)
		}(i)
	}
	all.Wait()
	os.Exit(7)
}
