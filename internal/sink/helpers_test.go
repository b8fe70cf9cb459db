package sink

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/filesum"
	"github.com/cqlbulk/cqlbulk/internal/store"
)

const header = "id,name\n"

// expand takes apart what a compression made, and fails when it is cut off.
func expand(compression string, stored []byte) ([]byte, error) {
	var r io.Reader = bytes.NewReader(stored)
	switch compression {
	case "gzip":
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, err
		}
		r = z
	case "zstd":
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		r = z
	case "lz4":
		return expandFrames(stored)
	case "snappy":
		r = snappy.NewReader(r)
	}
	return io.ReadAll(r)
}

// expandFrames expands a sequence of LZ4 frames; the library reads one at a time.
func expandFrames(stored []byte) ([]byte, error) {
	in := bufio.NewReader(bytes.NewReader(stored))
	var all []byte
	for first := true; ; first = false {
		if _, err := in.Peek(1); err == io.EOF && !first {
			return all, nil
		}
		plain, err := io.ReadAll(lz4.NewReader(in))
		all = append(all, plain...)
		if err != nil {
			return all, err
		}
	}
}

// text makes rows rows that begin with the number first.
func text(first, rows int) []byte {
	var b []byte
	for i := range rows {
		b = fmt.Appendf(b, "%d,name of %d\n", first+i, (first+i)*7919%1000)
	}
	return b
}

// names lists a folder.
func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	all := []string{}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// contents reads a committed file, and checks what the output says of it.
func contents(t *testing.T, folder, compression string, f File) string {
	t.Helper()
	path := filepath.Join(folder, f.Name)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	stored, err := os.ReadFile(path)
	require.NoError(t, err)
	sum := filesum.New(f.Algorithm())
	_, _ = sum.Write(stored)
	require.Equal(t, sum.Result(), f.Sum)
	require.Equal(t, int64(len(stored)), f.Bytes)
	plain, err := expand(compression, stored)
	require.NoError(t, err)
	require.Equal(t, int64(len(plain)), f.TextBytes)
	return string(plain)
}

// disk is a simulated disk with room for a number of bytes; then it is full.
type disk struct {
	store.Disk
	room      int64
	failSync  bool
	failClose bool
	closed    int
}

type diskFile struct {
	store.StagedWriter
	disk *disk
}

func (d *disk) Stage(
	ctx context.Context,
	name string,
	options store.CreateOptions,
) (store.StagedWriter, error) {
	w, err := d.Disk.Stage(ctx, name, options)
	return diskFile{w, d}, err
}

func (f diskFile) Write(b []byte) (int, error) {
	n := min(int64(len(b)), f.disk.room)
	f.disk.room -= n
	if _, err := f.StagedWriter.Write(b[:n]); err != nil {
		return 0, err
	}
	if n < int64(len(b)) {
		return int(n), syscall.ENOSPC
	}
	return int(n), nil
}

func (f diskFile) Sync() error {
	if f.disk.failSync {
		return syscall.EIO
	}
	return f.StagedWriter.Sync()
}

func (f diskFile) Close() error {
	f.disk.closed++
	err := f.StagedWriter.Close()
	if f.disk.failClose {
		return syscall.EDQUOT
	}
	return err
}

// rowsOf is the number of rows, headers not counted, that a mark vouches for.
func rowsOf(m *Mark) int64 {
	var n int64
	for _, s := range m.Series {
		for _, f := range s.Done {
			n += f.Rows
		}
		if s.Open != nil {
			n += s.Open.Rows
		}
	}
	return n
}
