package store

import (
	"context"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// counted is a service that counts the objects that it takes.
type counted struct {
	Disk
	objects *atomic.Int64
}

func (counted) CheckWritable(context.Context, string) error { return nil }

func (c counted) Create(context.Context, string, CreateOptions) (Writer, error) {
	return countedWriter(c), nil
}

type countedWriter counted

func (countedWriter) Write(b []byte) (int, error) { return len(b), nil }

func (w countedWriter) Commit(context.Context) error {
	w.objects.Add(1)
	return nil
}

func (countedWriter) Abort(context.Context) error { return nil }

// The folder of a spool is removed with its last object, while others are begun.
func TestSpoolFolderComesAndGoes(t *testing.T) {
	const workers, each = 4, 500
	ctx := t.Context()
	var objects atomic.Int64
	s := &Spool{Remote: counted{objects: &objects}, Folder: t.TempDir() + "/spool"}
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for n := range each {
				name := fmt.Sprintf("s3://b/part-%d-%d", worker, n)
				w, err := s.Stage(ctx, name, CreateOptions{})
				if err == nil {
					err = w.Close()
				}
				if err == nil {
					err = s.Publish(ctx, name)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	require.Equal(t, int64(workers*each), objects.Load())
	_, err := Disk{}.Stat(ctx, s.Folder)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
