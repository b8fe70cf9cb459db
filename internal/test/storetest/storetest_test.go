package storetest

import (
	"os"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/store"
)

// onDisk is a place on the local disk, with a store around it.
func onDisk(t *testing.T, around func(store.Store) store.Store) Place {
	t.Helper()
	dir := t.TempDir()
	return Place{
		Store:  around(store.Disk{}),
		Folder: dir,
		Break:  func() { _ = os.RemoveAll(dir) },
	}
}

func TestDisk(t *testing.T) {
	Run(t, func(t *testing.T) Place {
		p := onDisk(t, func(s store.Store) store.Store { return s })
		p.Staged = store.Disk{}
		return p
	})
}
