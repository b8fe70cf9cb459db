package main

import (
	"fmt"
	"net/netip"
)

// readdress changes a node's address, where it stands as a value in what the node answers, into the
// line's: a client then connects to the line for everything. The value is of type inet, and follows
// its length. Rows of the table may have the same bytes, so only the beginning of a connection is
// looked at, which is where a client asks for nodes.
type readdress struct {
	value   [8]byte
	last    byte // of the new address
	matched int  // bytes of value that came last
	left    int  // bytes still to be looked at
}

// lookedAt is the number of bytes of a connection that are looked at.
const lookedAt = 256 << 10

// newReaddress returns a readdress from a node's address to a line's. They may differ in their last
// byte alone: then no byte is to be changed before all of the value has come.
func newReaddress(node, line netip.Addr) (readdress, error) {
	if !node.Is4() || !line.Is4() || [3]byte(node.AsSlice()) != [3]byte(line.AsSlice()) {
		return readdress{}, fmt.Errorf("-listen and -node: %s and %s are no IPv4 addresses that differ in their last number alone", line, node)
	}
	r := readdress{last: line.As4()[3], left: lookedAt}
	address := node.As4()
	copy(r.value[:], append([]byte{0, 0, 0, 4}, address[:]...))
	return r, nil
}

// change changes the address in the next bytes.
func (r *readdress) change(b []byte) {
	b = b[:min(len(b), r.left)]
	r.left -= len(b)
	for i := range b {
		for b[i] != r.value[r.matched] && r.matched > 0 {
			r.matched = r.shorter()
		}
		if b[i] != r.value[r.matched] {
			continue
		}
		if r.matched++; r.matched == len(r.value) {
			b[i], r.matched = r.last, 0
		}
	}
}

// shorter returns how many bytes of the value match if fewer than so far have to.
func (r *readdress) shorter() int {
	for n := r.matched - 1; n > 0; n-- {
		if string(r.value[:n]) == string(r.value[r.matched-n:r.matched]) {
			return n
		}
	}
	return 0
}
