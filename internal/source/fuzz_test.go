package source

import (
	"bytes"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRead reads anything: it ends, in good order, and the same way however the
// bytes come.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/golden/*.*")
	require.NoError(f, err)
	for _, name := range files {
		data := golden(f, filepath.Base(name))
		f.Add(data, uint16(100))
		f.Add(data[:len(data)/2], uint16(0))
	}
	f.Add([]byte(snappyHead+snappyChunk("a,b\n")), uint16(3))
	f.Add([]byte("BZh9 text"), uint16(1))
	f.Fuzz(func(t *testing.T, data []byte, step uint16) {
		const most = 1 << 20 // of text: a few bytes may stand for gigabytes
		read := func(in io.Reader) ([]byte, error) {
			r := newReader("stdin", in, -1)
			text, err := io.ReadAll(io.LimitReader(r, most))
			require.LessOrEqual(t, r.Consumed(), int64(len(data)))
			require.NoError(t, r.Close())
			return text, err
		}
		text, err := read(bytes.NewReader(data))
		again, errAgain := read(&steps{data, int(step)%1000 + 1})
		require.True(t, bytes.Equal(text, again))
		require.Equal(t, err == nil, errAgain == nil)
		if err != nil {
			require.NotErrorIs(t, err, io.EOF)
		}
	})
}

// steps gives a few bytes at a time.
type steps struct {
	data []byte
	size int
}

func (s *steps) Read(p []byte) (int, error) {
	if len(s.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), s.size)], s.data)
	s.data = s.data[n:]
	return n, nil
}
