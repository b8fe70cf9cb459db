package token

// recency keeps the numbers 0 to n-1 in order of last use, the latest first. It is a doubly linked
// list in two arrays. The element after the last number is both its head and its end.
//
// Suppose a walk goes backwards along the ring and uses the owner of every token. Then the list
// always holds the distinct owners in the order of a walk forwards from there. Replica placement
// needs only that order. A step has the same cost however far apart the replicas are.
type recency struct{ next, prev []int32 }

func newRecency(n int) recency {
	l := recency{make([]int32, n+1), make([]int32, n+1)}
	for i := range l.next {
		l.next[i], l.prev[i] = int32(i), int32(i) // linked to itself: not in the list
	}
	return l
}

// end returns the value that first and after return after the last number.
func (l recency) end() int { return len(l.next) - 1 }

// first returns the number used last.
func (l recency) first() int { return int(l.next[l.end()]) }

// after returns the number used last before i.
func (l recency) after(i int) int { return int(l.next[i]) }

// use moves i to the front, and adds it if it is not in the list.
func (l recency) use(i int) {
	l.next[l.prev[i]], l.prev[l.next[i]] = l.next[i], l.prev[i]
	head := int32(l.end())
	l.next[i], l.prev[i] = l.next[head], head
	l.prev[l.next[head]] = int32(i)
	l.next[head] = int32(i)
}
