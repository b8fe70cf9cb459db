package count

import (
	"bytes"
	"cmp"
	"container/heap"
	"slices"
)

// largestPartitions keeps the largest partitions that were added. Of equal ones it keeps those that
// come first by key, so the order of calls does not matter. It is a heap with the smallest
// partition in front, so its memory is bounded.
type largestPartitions struct {
	keep int
	heap partitions
}

// add adds a partition. The key is copied if it is kept.
func (t *largestPartitions) add(key [][]byte, rows int64) {
	if t.keep == 0 {
		return
	}
	if len(t.heap) == t.keep {
		if compare(t.heap[0], Partition{key, rows}) <= 0 {
			return
		}
		heap.Pop(&t.heap)
	}
	copied := make([][]byte, len(key))
	for i, cell := range key {
		copied[i] = bytes.Clone(cell)
	}
	heap.Push(&t.heap, Partition{copied, rows})
}

// merge adds the partitions of another, and clears it.
func (t *largestPartitions) merge(other *largestPartitions) {
	for _, p := range other.heap {
		t.add(p.Key, p.Rows)
	}
	other.clear()
}

func (t *largestPartitions) clear() { t.heap = t.heap[:0] }

// sorted lists the partitions, the largest first, those of equal size by key.
func (t *largestPartitions) sorted() []Partition {
	list := slices.Clone([]Partition(t.heap))
	slices.SortFunc(list, compare)
	return list
}

// compare orders by rows, the largest first, and then by key.
func compare(a, b Partition) int {
	if c := cmp.Compare(b.Rows, a.Rows); c != 0 {
		return c
	}
	return slices.CompareFunc(a.Key, b.Key, bytes.Compare)
}

// partitions implements heap.Interface.
type partitions []Partition

func (p partitions) Len() int           { return len(p) }
func (p partitions) Less(i, j int) bool { return compare(p[i], p[j]) > 0 }
func (p partitions) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *partitions) Push(x any)        { *p = append(*p, x.(Partition)) }
func (p *partitions) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}
