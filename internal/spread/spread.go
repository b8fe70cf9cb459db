// Package spread divides many small tasks among a few goroutines, such as opening each of many
// files.
package spread

import (
	"sync"
	"sync/atomic"
)

// Workers is the largest number of goroutines of one call of [Each]. It is not the number of cores:
// tasks wait for disks and for file servers.
const Workers = 8

// least is the number of tasks for which a goroutine of its own is worth its start.
const least = 16

// Each calls do with each number from 0 to n-1, in that order or several at a time, and returns
// when all calls have returned. With few tasks it calls do one after the other.
func Each(n int, do func(i int)) { among(n/least, n, do) }

// EachWaiting is Each for tasks that wait for the disk far longer than a goroutine takes to start.
// Even two of them run at the same time.
func EachWaiting(n int, do func(i int)) { among(n, n, do) }

// among divides n tasks among up to that many goroutines.
func among(workers, n int, do func(i int)) {
	workers = min(workers, Workers)
	if workers < 2 {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}
