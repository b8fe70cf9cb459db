package rowsum

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAdd(t *testing.T) {
	const top = ^uint64(0)
	require.Equal(t, Sum{1, 0}, Sum{0, top}.Add(Sum{0, 1}))
	require.Equal(t, Sum{0, 0}, Sum{top, top}.Add(Sum{0, 1}))
	require.Equal(t, Sum{top, top - 1}, Sum{top, top}.Add(Sum{top, top}))
	require.Equal(t, Sum{3, 7}, Sum{3, 7}.Add(Sum{}))
}

func TestSub(t *testing.T) {
	const top = ^uint64(0)
	require.Equal(t, Sum{0, top}, Sum{1, 0}.Sub(Sum{0, 1}))
	require.Equal(t, Sum{top, top}, Sum{}.Sub(Sum{0, 1}))
	require.Equal(t, Sum{3, 7}, Sum{3, 7}.Add(Sum{top, 5}).Sub(Sum{top, 5}))
}

func TestStringAndParse(t *testing.T) {
	s := Sum{Hi: 0x0123456789abcdef, Lo: 0x00000000000000ff}
	require.Equal(t, "0123456789abcdef00000000000000ff", s.String())
	for _, text := range []string{s.String(), "0123456789ABCDEF00000000000000FF"} {
		back, err := Parse(text)
		require.NoError(t, err)
		require.Equal(t, s, back)
	}
	require.Equal(t, "00000000000000000000000000000000", Sum{}.String())
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", `checksum "": 0 characters, not 32`},
		{"0123", `checksum "0123": 4 characters, not 32`},
		{
			"0123456789abcdef00000000000000ff0",
			`checksum "0123456789abcdef00000000000000ff0": 33 characters, not 32`,
		},
		{
			"0123456789abcdef00000000000000fg",
			`checksum "0123456789abcdef00000000000000fg": encoding/hex: invalid byte: U+0067 'g'`,
		},
	}
	for _, tt := range tests {
		_, err := Parse(tt.text)
		require.EqualError(t, err, tt.want)
	}
}
