package main

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReaddress: the address is changed wherever the answer is cut, and only as a value.
func TestReaddress(t *testing.T) {
	const answer = "x\x00\x00\x00\x00\x04\x7f\x00\x00\x01y\x00\x00\x00\x00\x00\x04\x7f\x00\x00\x01\x7f\x00\x00\x01"
	const want = "x\x00\x00\x00\x00\x04\x7f\x00\x00\x09y\x00\x00\x00\x00\x00\x04\x7f\x00\x00\x09\x7f\x00\x00\x01"
	for cut := range len(answer) {
		r, err := newReaddress(netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.9"))
		require.NoError(t, err)
		first, second := []byte(answer[:cut]), []byte(answer[cut:])
		r.change(first)
		r.change(second)
		require.Equal(t, want, string(first)+string(second))
	}
	r, err := newReaddress(netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.9"))
	require.NoError(t, err)
	r.change(make([]byte, lookedAt))
	late := []byte(answer)
	r.change(late)
	require.Equal(t, answer, string(late))
	_, err = newReaddress(netip.MustParseAddr("127.0.1.1"), netip.MustParseAddr("127.0.0.9"))
	require.ErrorContains(t, err, "differ in their last number alone")
}
