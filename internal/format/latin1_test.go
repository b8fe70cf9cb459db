package format

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Latin-1 is read as windows-1252. Bytes that this has no character for become control characters,
// and none is lost.
func TestLatin1IsWindows1252(t *testing.T) {
	require.Equal(t, "caf\u00e9 \u201cquoted\u201d \u20ac5 \u2013 \u0081\u009d\u00a0\u00ff",
		string(AppendLatin1(nil, []byte("caf\xe9 \x93quoted\x94 \x805 \x96 \x81\x9d\xa0\xff"))))
	seen := make(map[string]bool)
	for b := range 256 {
		seen[string(AppendLatin1(nil, []byte{byte(b)}))] = true
	}
	require.Len(t, seen, 256, "no two bytes are one character")
}
