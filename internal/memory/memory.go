// Package memory makes the garbage collector keep to what an operation may use.
package memory

import (
	"runtime"
	"runtime/debug"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Limit makes the collector keep to the memory that an operation may use, in bytes. A fifth
// remains for memory that it does not count.
func Limit(memory setting.Size) { debug.SetMemoryLimit(int64(memory) / 5 * 4) }

// largeHeap is the size of heap from which it is worth a collection to give memory back.
const largeHeap = 32 << 20

// Small is the memory, in bytes, that the collector keeps to until a run has moved much text. A
// table of ten rows in a cluster of 1,000 nodes should not take what a large table may.
const Small = 112 << 20

// smallText is the number of bytes of text from which a run may use all of --memory.
const smallText = 64 << 20

// smallInterval is the time between two looks at how much text a run has moved.
const smallInterval = 100 * time.Millisecond

// CollectMeanwhile makes the collector let the heap grow by a third instead of to double its size.
// The collector also keeps the memory to a limit in bytes. Both end with a call of the returned
// function. What nodes report of a large cluster is many times what is kept of it.
func CollectMeanwhile(most int64) (end func()) {
	percent, limit := lowerGCPercent(33), lowerLimit(most)
	return func() {
		Release()
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

// LimitSmall makes the collector keep to [Small] until the run has moved [smallText], and then to
// what the operation may use. The returned function ends the watch.
func LimitSmall(memory setting.Size, c *progress.Counters) (end func()) {
	Limit(memory)
	if lowerLimit(Small) <= Small {
		return func() {}
	}
	ended := make(chan struct{})
	go func() {
		look := time.NewTicker(smallInterval)
		defer look.Stop()
		for c.Bytes.Load() < smallText {
			select {
			case <-ended:
				return
			case <-look.C:
			}
		}
		Limit(memory)
	}()
	return func() { close(ended) }
}

// lowerLimit sets the memory limit of the collector unless it is lower already. It returns what it
// was before.
func lowerLimit(bytes int64) (before int64) {
	if before = debug.SetMemoryLimit(bytes); before < bytes {
		debug.SetMemoryLimit(before)
	}
	return before
}

// lowerGCPercent makes the collector let the heap grow by percent, unless the user has set less, or
// none. It returns what it was before.
func lowerGCPercent(percent int) (before int) {
	if before = debug.SetGCPercent(percent); before < percent {
		debug.SetGCPercent(before)
	}
	return before
}

// Release returns unused memory to the system, if the heap is large.
func Release() {
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc > largeHeap {
		debug.FreeOSMemory()
	}
}

// manyFiles is the number of files whose list takes a large part of the memory of a load or a scan.
// Each file takes 130 to 300 bytes.
const manyFiles = 20_000

// CollectOften makes the collector let the heap grow by half instead of to double its size if there
// are many files. The list of inputs or output files is then a large part of the heap, and stays to
// the end, as little else does.
func CollectOften(files int) {
	if files < manyFiles {
		return
	}
	lowerGCPercent(50)
}
