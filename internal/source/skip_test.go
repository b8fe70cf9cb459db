package source

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"
)

func TestSkipTo(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789"), 50_000)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(text)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	open := func(stored []byte) *Reader {
		path := filepath.Join(t.TempDir(), "in")
		require.NoError(t, os.WriteFile(path, stored, 0o600))
		inputs, _, err := Find([]string{path}, nil)
		require.NoError(t, err)
		r, err := inputs[0].Open()
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, r.Close()) })
		return r
	}
	skip := func(r *Reader, to int64) bool {
		t.Helper()
		skipped, err := r.SkipTo(to)
		require.NoError(t, err)
		return skipped
	}

	r := open(text)
	require.True(t, skip(r, 13))
	_, err = io.ReadFull(r, make([]byte, 100_000))
	require.NoError(t, err)
	require.False(t, skip(r, 100_013), "that is where it stands")
	require.False(t, skip(r, 5))
	require.True(t, skip(r, 400_007))
	rest, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, string(text[400_007:]), string(rest))
	require.EqualValues(t, len(text), r.Consumed())
	require.False(t, skip(r, 1<<30), "it has ended")

	r = open(text)
	require.True(t, skip(r, int64(len(text))+5), "behind the end")
	rest, err = io.ReadAll(r)
	require.NoError(t, err)
	require.Empty(t, rest)

	r = open(packed.Bytes())
	require.False(t, skip(r, 13), "compressed")
	rest, err = io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, string(text), string(rest))

	silent, _ := io.Pipe()
	require.False(t, skip(newReader("stdin", silent, -1), 13), "nothing is waited for")

	r = newReader("stdin", bytes.NewReader(text), -1)
	require.False(t, skip(r, 13), "no file")
	rest, err = io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, string(text), string(rest))
}
