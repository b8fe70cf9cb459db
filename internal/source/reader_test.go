package source

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// write makes a file of long ago, so that any change shows in its time.
func write(t *testing.T, data []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.WriteFile(name, data, 0o600))
	require.NoError(t, os.Chtimes(name, time.Time{}, time.Unix(1e9, 0)))
	return name
}

func open(t *testing.T, name string) *Reader {
	t.Helper()
	inputs, notes, err := Find([]string{name}, nil)
	require.NoError(t, err)
	require.Empty(t, notes)
	r, err := inputs[0].Open()
	require.NoError(t, err)
	return r
}

func TestConsumed(t *testing.T) {
	text := sample(1_000_000)
	for name, compress := range makers {
		t.Run(name, func(t *testing.T) {
			data := compress(text)
			r := open(t, write(t, data))
			require.Zero(t, r.Consumed())
			p := make([]byte, 1000)
			last := int64(0)
			for {
				_, err := r.Read(p)
				now := r.Consumed()
				require.GreaterOrEqual(t, now, last)
				require.LessOrEqual(t, now, int64(len(data)))
				last = now
				if err != nil {
					require.Equal(t, io.EOF, err)
					break
				}
			}
			require.EqualValues(t, len(data), last)
			require.NoError(t, r.Close())
			require.EqualValues(t, len(data), r.Consumed())
		})
	}
}

func TestChanged(t *testing.T) {
	text := sample(1_000_000)
	appendTo := func(t *testing.T, name string) {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.WriteString("z,y\n")
		require.NoError(t, errors.Join(err, f.Close()))
	}
	touch := func(t *testing.T, name string) {
		require.NoError(t, os.Chtimes(name, time.Time{}, time.Now()))
	}
	shorten := func(t *testing.T, name string) { require.NoError(t, os.Truncate(name, 700_000)) }
	for _, tc := range []struct {
		name   string
		format string
		change func(*testing.T, string)
		want   []byte
	}{
		{"longer", "plain", appendTo, append(bytes.Clone(text), "z,y\n"...)},
		{"touched", "plain", touch, text},
		{"shorter", "plain", shorten, text[:700_000]},
		{"touched, compressed", "gzip", touch, text},
	} {
		t.Run(tc.name, func(t *testing.T) {
			name := write(t, makers[tc.format](text))
			r := open(t, name)
			_, err := io.ReadFull(r, make([]byte, 10))
			require.NoError(t, err)
			tc.change(t, name)
			rest, err := io.ReadAll(r)
			require.ErrorIs(t, err, ErrChanged)
			require.EqualError(t, err, "input "+name+": changed while it was read: a resume needs the bytes that it had")
			require.True(t, bytes.Equal(tc.want[10:], rest))
			require.NoError(t, r.Close())
		})
	}
	t.Run("damaged by it", func(t *testing.T) {
		data := makers["gzip"](text)
		name := write(t, data)
		r := open(t, name)
		require.NoError(t, os.Truncate(name, int64(len(data)-1)))
		_, err := io.ReadAll(r)
		require.ErrorIs(t, err, ErrChanged)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.ErrorAs(t, err, new(*DamageError))
		require.NoError(t, r.Close())
	})
	t.Run("replaced", func(t *testing.T) { // what was opened stays what it was
		name := write(t, text)
		r := open(t, name)
		require.NoError(t, os.Remove(name))
		require.NoError(t, os.WriteFile(name, []byte("other"), 0o600))
		got, err := io.ReadAll(r)
		require.NoError(t, err)
		require.True(t, bytes.Equal(text, got))
		require.NoError(t, r.Close())
	})
}

// An input that cannot be read on is not a damaged one, and not an end.
func TestReadFails(t *testing.T) {
	broken := errors.New("broken")
	text := sample(100_000)
	for name, compress := range makers {
		for _, at := range []int{0, 1, 3, 500} {
			got, err := readAll(
				t,
				io.MultiReader(bytes.NewReader(compress(text)[:at]), iotest.ErrReader(broken)),
			)
			require.ErrorIs(t, err, broken, "%s at %d", name, at)
			require.ErrorContains(t, err, "bytes: broken")
			require.True(t, bytes.HasPrefix(text, got) || bytes.Equal(got, compress(text)[:at]))
		}
	}
}

// silence gives neither bytes nor an error.
type silence struct{}

func (silence) Read([]byte) (int, error) { return 0, nil }

func TestNoProgress(t *testing.T) {
	text := sample(100)
	for name, compress := range makers {
		got, err := readAll(t, io.MultiReader(bytes.NewReader(compress(text)), silence{}))
		require.ErrorIs(t, err, io.ErrNoProgress, name)
		require.Equal(t, text, got)
	}
}

// Between two whole streams is where an error could best pass for the end.
func TestReadFailsBetweenStreams(t *testing.T) {
	broken := errors.New("broken")
	text := sample(1000)
	for name, compress := range makers {
		got, err := readAll(
			t,
			io.MultiReader(bytes.NewReader(compress(text)), iotest.ErrReader(broken)),
		)
		require.ErrorIs(t, err, broken, name)
		require.Equal(t, text, got)
	}
}

func TestCloseEarly(t *testing.T) {
	text := sample(5_000_000)
	for name, compress := range makers {
		t.Run(name, func(t *testing.T) {
			path := write(t, compress(text))
			for _, n := range []int{0, 1, blockSize, 1_000_000} {
				ignore := goleak.IgnoreCurrent()
				r := open(t, path)
				_, err := io.ReadFull(r, make([]byte, n))
				require.NoError(t, err)
				require.NoError(t, r.Close())
				require.NoError(t, goleak.Find(ignore))
				_, err = r.Read(make([]byte, 1))
				require.ErrorIs(t, err, fs.ErrClosed)
			}
		})
	}
}

// A pipe in the file system that keeps silent does not keep Close.
func TestCloseSilentPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	w, err := os.OpenFile(name, os.O_RDWR, 0)
	require.NoError(t, err)
	defer w.Close()
	_, err = w.Write(makers["gzip"]([]byte("a,b\n")))
	require.NoError(t, err)
	r := open(t, name)
	p := make([]byte, 10)
	n, err := r.Read(p)
	require.NoError(t, err)
	require.Equal(t, "a,b\n", string(p[:n]))
	require.NoError(t, r.Close())
}

// The standard input may keep silent for ever; Close does not wait for it. What
// was there before is read at once, without waiting for a buffer to fill.
func TestSilentStdin(t *testing.T) {
	for name, compress := range makers {
		t.Run(name, func(t *testing.T) {
			in, w := io.Pipe()
			inputs, _, err := Find([]string{"-"}, in)
			require.NoError(t, err)
			r, err := inputs[0].Open()
			require.NoError(t, err)
			sent := make(chan error, 1)
			go func() {
				_, err := w.Write(compress([]byte("day,page\n")))
				sent <- err
			}()
			if name == "plain" || name == "gzip" {
				p := make([]byte, 100)
				n, err := r.Read(p)
				require.NoError(t, err)
				require.Equal(t, "day,page\n", string(p[:n]))
				require.NoError(t, <-sent)
			}
			require.NoError(t, r.Close())
			require.NoError(t, in.CloseWithError(io.ErrClosedPipe))
		})
	}
}

func TestNothingHeldAfterTheEnd(t *testing.T) {
	r := newReader("stdin", bytes.NewReader(makers["zstd"](sample(1000))), -1)
	_, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, goleak.Find()) // though it is still open
	require.Nil(t, r.ahead)
	require.Nil(t, r.in)
	require.NoError(t, r.Close())
}
