// Package memory makes the garbage collector keep to what an operation may use. The functions are
// safe for concurrent use. The limit is that of the process: the last one that was set counts.
package memory

import (
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Limit makes the collector keep to the memory that an operation may use, in bytes. A fifth
// remains for memory that it does not count.
func Limit(memory setting.Size) {
	collector.Lock()
	defer collector.Unlock()
	setLimit(limitOf(memory))
}

// limitOf returns the limit of the collector for the memory that an operation may use, in bytes.
func limitOf(memory setting.Size) int64 { return int64(memory) / 5 * 4 }

// collector guards the settings of the garbage collector.
var collector struct {
	sync.Mutex
	meanwhile []int64 // limits of the calls of CollectMeanwhile that last
	limit     int64   // besides those
	percent   int     // before the first of those calls
}

// setLimit sets the memory limit of the collector. A lower one of [CollectMeanwhile] stays. The
// caller holds the lock.
func setLimit(bytes int64) {
	collector.limit = bytes
	applyLimits()
}

func applyLimits() {
	debug.SetMemoryLimit(slices.Min(append(collector.meanwhile, collector.limit)))
}

// largeHeap is the size of heap from which it is worth a collection to give memory back.
const largeHeap = 32 << 20

// Small is the memory, in bytes, that the collector keeps to until a run has moved much text. A
// table of ten rows in a cluster of 1,000 nodes should not take what a large table may.
const Small = 112 << 20

// smallText is the number of bytes of text from which a run may use all of --memory.
const smallText = 64 << 20

// smallInterval is the time between two looks at how much text a run has moved.
const smallInterval = 100 * time.Millisecond

// CollectMeanwhile makes the collector let the heap grow by a third instead of to double its size,
// and keep the memory to a limit in bytes, until the returned function is called. What nodes report
// of a large cluster is many times what is kept of it.
//
// Calls may overlap, if several sources are opened at once. Once the last one has ended, the
// settings are as before.
func CollectMeanwhile(most int64) (end func()) {
	collector.Lock()
	defer collector.Unlock()
	if len(collector.meanwhile) == 0 {
		collector.limit = debug.SetMemoryLimit(-1)
		collector.percent = lowerGCPercent(33)
	}
	collector.meanwhile = append(collector.meanwhile, most)
	applyLimits()
	return func() {
		Release()
		collector.Lock()
		defer collector.Unlock()
		ended := slices.Index(collector.meanwhile, most)
		collector.meanwhile = slices.Delete(collector.meanwhile, ended, ended+1)
		applyLimits()
		if len(collector.meanwhile) == 0 {
			debug.SetGCPercent(collector.percent)
		}
	}
}

// LimitSmall makes the collector keep to [Small] until the run has moved [smallText], and then to
// what the operation may use. The returned function ends the watch.
func LimitSmall(memory setting.Size, c *progress.Counters) (end func()) {
	if limitOf(memory) <= Small {
		Limit(memory)
		return func() {}
	}
	collector.Lock()
	setLimit(Small)
	collector.Unlock()
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

// manyFiles is the number of files whose list takes a good part of the memory of a load or a scan:
// 130 to 300 bytes each.
const manyFiles = 20_000

// CollectOften makes the collector let the heap grow by half instead of to double its size, if the
// list of inputs or output files is a large part of the heap. The list stays to the end, and little
// else does.
func CollectOften(files int) {
	if files < manyFiles {
		return
	}
	lowerGCPercent(50)
}
