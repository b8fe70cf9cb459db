package sink

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// every lists all compressions, none included.
func every() []string { return append([]string{""}, Compressions()...) }

func TestStream(t *testing.T) {
	for _, compression := range every() {
		t.Run("compression "+compression, func(t *testing.T) {
			var b bytes.Buffer
			o, err := Open(Options{Stream: &b, Compression: compression, Header: []byte(header)})
			require.NoError(t, err)
			w := o.Writer()
			require.Empty(t, b.Bytes(), "nothing goes out before the first row")
			rows := text(0, 5000)
			require.NoError(t, w.Write(5000, rows))
			require.NoError(t, o.Writer().Write(10, text(5000, 10)))
			require.Nil(t, o.Files())
			require.NoError(t, o.Commit())

			plain, err := expand(compression, b.Bytes())
			require.NoError(t, err)
			require.Equal(t, header+string(text(0, 5010)), string(plain))
			require.Equal(
				t,
				[]File{{Rows: 5010, TextBytes: int64(len(plain)), Bytes: int64(b.Len())}},
				o.Files(),
			)
			require.Empty(t, o.Parts())
		})
	}
}

func TestStreamWithoutCompressionDoesNotWait(t *testing.T) {
	var b bytes.Buffer
	o, err := Open(Options{Stream: &b})
	require.NoError(t, err)
	require.NoError(t, o.Writer().Write(1, []byte("1,a\n")))
	require.Equal(t, "1,a\n", b.String())
	require.NoError(t, o.Commit())
}

func TestOneFile(t *testing.T) {
	for _, compression := range every() {
		t.Run("compression "+compression, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "out.csv")
			o, err := Open(Options{Path: path, Compression: compression, Header: []byte(header)})
			require.NoError(t, err)
			require.Equal(t, []string{path + ".part"}, o.Parts())

			const workers, pieces, rows = 8, 20, 40
			fill(t, o, workers, pieces, rows)
			require.Equal(t, []string{"out.csv.part"}, names(t, folder))
			require.NoError(t, o.Commit())
			require.Equal(t, []string{"out.csv"}, names(t, folder))
			require.Empty(t, o.Parts())

			files := o.Files()
			require.Len(t, files, 1)
			require.Equal(t, "out.csv", files[0].Name)
			require.Equal(t, int64(workers*pieces*rows), files[0].Rows)
			plain := contents(t, folder, compression, files[0])
			require.True(t, strings.HasPrefix(plain, header))
			checkPieces(t, plain[len(header):], workers, pieces, rows)
		})
	}
}

func TestFolder(t *testing.T) {
	endings := map[string]string{
		"":       "",
		"gzip":   ".gz",
		"zstd":   ".zst",
		"lz4":    ".lz4",
		"snappy": ".sz",
	}
	for _, compression := range every() {
		t.Run("compression "+compression, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "deep", "out")
			o, err := Open(
				Options{
					Path:        folder,
					Dir:         true,
					Base:        "flights",
					Ext:         "csv",
					Compression: compression,
					Header:      []byte(header),
					MaxRows:     200,
				},
			)
			require.NoError(t, err)
			info, err := os.Stat(folder)
			require.NoError(t, err)
			require.Equal(t, os.ModeDir|0o700, info.Mode())

			const workers, pieces, rows = 8, 9, 50
			fill(t, o, workers, pieces, rows)
			require.Empty(t, o.Files())
			require.NoError(t, o.Commit())

			var want []string
			for worker := range workers {
				for number := range 3 {
					want = append(
						want,
						fmt.Sprintf(
							"flights-%04d-%04d.csv%s",
							worker+1,
							number+1,
							endings[compression],
						),
					)
				}
			}
			require.Equal(t, want, names(t, folder))
			var all strings.Builder
			for i, f := range o.Files() {
				require.Equal(t, want[i], f.Name)
				require.Equal(t, []int64{200, 200, 50}[i%3], f.Rows)
				plain := contents(t, folder, compression, f)
				require.True(t, strings.HasPrefix(plain, header))
				all.WriteString(plain[len(header):])
			}
			checkPieces(t, all.String(), workers, pieces, rows)
		})
	}
}

// fill has workers write at the same time, each piece over the same buffer.
func fill(t *testing.T, o *Output, workers, pieces, rows int) {
	t.Helper()
	errs := make([]error, workers)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			w := o.Writer()
			var buffer []byte
			for piece := range pieces {
				buffer = append(buffer[:0], text((worker*pieces+piece)*rows, rows)...)
				if errs[worker] = w.Write(rows, buffer); errs[worker] != nil {
					return
				}
				clear(buffer)
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
}

// checkPieces looks for every piece that fill wrote, whole and once.
func checkPieces(t *testing.T, all string, workers, pieces, rows int) {
	t.Helper()
	size := 0
	for i := range workers * pieces {
		piece := string(text(i*rows, rows))
		require.Equal(t, 1, strings.Count("\n"+all, "\n"+piece))
		size += len(piece)
	}
	require.Len(t, all, size)
}

func TestEmptyOutput(t *testing.T) {
	for _, compression := range every() {
		for _, head := range []string{"", header} {
			t.Run(
				fmt.Sprintf("compression %s header %d", compression, len(head)),
				func(t *testing.T) {
					folder := filepath.Join(t.TempDir(), "out")
					o, err := Open(
						Options{
							Path:        folder,
							Dir:         true,
							Base:        "b",
							Ext:         ".csv",
							Compression: compression,
							Header:      []byte(head),
						},
					)
					require.NoError(t, err)
					for range 3 {
						require.NoError(t, o.Writer().Write(0, nil))
					}
					require.Empty(t, names(t, folder))
					require.NoError(t, o.Commit())
					require.Len(t, o.Files(), 1)
					require.True(t, strings.HasPrefix(o.Files()[0].Name, "b-0001-0001.csv"))
					require.Equal(t, head, contents(t, folder, compression, o.Files()[0]))
					require.Zero(t, o.Files()[0].Rows)
					if compression != "" {
						require.Positive(
							t,
							o.Files()[0].Bytes,
							"an empty output has its frame all the same",
						)
					}

					o, err = Open(
						Options{
							Path:        filepath.Join(folder, "one"),
							Compression: compression,
							Header:      []byte(head),
						},
					)
					require.NoError(t, err)
					require.NoError(t, o.Commit())
					require.Equal(t, head, contents(t, folder, compression, o.Files()[0]))

					var b bytes.Buffer
					o, err = Open(
						Options{Stream: &b, Compression: compression, Header: []byte(head)},
					)
					require.NoError(t, err)
					require.NoError(t, o.Commit())
					plain, err := expand(compression, b.Bytes())
					require.NoError(t, err)
					require.Equal(t, head, string(plain))
				},
			)
		}
	}
	t.Run("folder without a worker", func(t *testing.T) {
		folder := t.TempDir()
		o, err := Open(Options{Path: folder, Dir: true, Base: "b", Ext: "csv"})
		require.NoError(t, err)
		require.NoError(t, o.Commit())
		require.Equal(t, []string{"b-0001-0001.csv"}, names(t, folder))
	})
}

func TestEveryLevel(t *testing.T) {
	rows := text(0, 4000)
	for _, compression := range Compressions() {
		for level := range codecs[compression].maxLevel + 1 {
			t.Run(fmt.Sprintf("%s %d", compression, level), func(t *testing.T) {
				var b bytes.Buffer
				o, err := Open(Options{Stream: &b, Compression: compression, Level: level})
				require.NoError(t, err)
				require.NoError(t, o.Writer().Write(4000, rows))
				require.NoError(t, o.Commit())
				require.Less(t, b.Len(), len(rows)*3/4)
				plain, err := expand(compression, b.Bytes())
				require.NoError(t, err)
				require.Equal(t, rows, plain)
			})
		}
	}
}

func TestHeaderIsCopied(t *testing.T) {
	head := []byte(header)
	var b bytes.Buffer
	o, err := Open(Options{Stream: &b, Header: head})
	require.NoError(t, err)
	clear(head)
	require.NoError(t, o.Commit())
	require.Equal(t, header, b.String())
}

func BenchmarkWrite(b *testing.B) {
	rows := text(0, 5000)
	for _, compression := range every() {
		b.Run("compression "+compression, func(b *testing.B) {
			folder := filepath.Join(b.TempDir(), "out")
			o, err := Open(Options{Path: folder, Dir: true, Base: "b", Compression: compression})
			require.NoError(b, err)
			w := o.Writer()
			b.SetBytes(int64(len(rows)))
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Write(5000, rows); err != nil {
					b.Fatal(err)
				}
			}
			require.NoError(b, o.Abort())
		})
	}
}
