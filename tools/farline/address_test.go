package main

import (
	"encoding/binary"
	"io"
	"net/netip"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"
)

func frame(flags byte, body string) string {
	header := []byte{0x84, flags, 0, 1, 8}
	return string(binary.BigEndian.AppendUint32(header, uint32(len(body)))) + body
}

// The address is replaced as a value, in compressed frames too, and only at the beginning of a
// connection.
func TestReaddress(t *testing.T) {
	const answer = "x\x00\x00\x00\x00\x04\x7f\x00\x00\x01y\x00\x00\x00\x00\x00\x04\x7f\x00\x00\x01\x7f\x00\x00\x01"
	const want = "x\x00\x00\x00\x00\x04\x7f\x00\x00\x09y\x00\x00\x00\x00\x00\x04\x7f\x00\x00\x09\x7f\x00\x00\x01"
	packed := func(text string) string {
		block := make([]byte, lz4.CompressBlockBound(len(text)))
		n, err := lz4.CompressBlock([]byte(text), block, nil)
		require.NoError(t, err)
		require.Positive(t, n)
		return string(binary.BigEndian.AppendUint32(nil, uint32(len(text)))) + string(block[:n])
	}
	long := strings.Repeat("a", 1000)
	other := frame(compressed, packed(long))
	large := frame(0, strings.Repeat("l", changed+1))
	sent := frame(
		0,
		answer,
	) + other + frame(
		compressed,
		packed(long+answer),
	) + frame(
		compressed,
		"\x00\x00\x00\x00",
	) + large + frame(
		0,
		answer,
	)
	r, err := newReaddress(netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.9"))
	require.NoError(t, err)
	for _, node := range []io.Reader{
		strings.NewReader(sent),
		iotest.OneByteReader(strings.NewReader(sent)),
	} {
		got, err := io.ReadAll(r.reader(node))
		require.NoError(t, err)
		require.Equal(
			t,
			frame(
				0,
				want,
			)+other+frame(
				0,
				long+want,
			)+frame(
				compressed,
				"\x00\x00\x00\x00",
			)+large+frame(
				0,
				answer,
			),
			string(got),
		)
	}
	_, err = newReaddress(netip.MustParseAddr("::1"), netip.MustParseAddr("127.0.0.9"))
	require.ErrorContains(t, err, "must be IPv4 addresses")
}
