package token

// recency keeps the numbers 0 to n-1 in order of last use, the latest first. It
// is a doubly linked list in two arrays; the place after the last number is both
// its head and its end.
//
// When the ring is walked backwards and the owner of every token is used in turn,
// the list is at each step the distinct owners in the order in which a walk
// forwards from there would meet them. That is all that replica placement asks,
// and a step costs the same however far apart the replicas lie.
type recency struct{ next, prev []int32 }

func newRecency(n int) recency {
	l := recency{make([]int32, n+1), make([]int32, n+1)}
	for i := range l.next {
		l.next[i], l.prev[i] = int32(i), int32(i) // linked to itself: not in the list
	}
	return l
}

// end is the value that first and after give when there are no more.
func (l recency) end() int { return len(l.next) - 1 }

// first returns the number used last.
func (l recency) first() int { return int(l.next[l.end()]) }

// after returns the number used last before i was.
func (l recency) after(i int) int { return int(l.next[i]) }

// use puts i first, whether or not it was in the list.
func (l recency) use(i int) {
	l.next[l.prev[i]], l.prev[l.next[i]] = l.next[i], l.prev[i]
	head := int32(l.end())
	l.next[i], l.prev[i] = l.next[head], head
	l.prev[l.next[head]] = int32(i)
	l.next[head] = int32(i)
}
