package stream

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// If the disk is full, the load ends with that as the reason, and no row counts as written. That
// holds while rows are sorted, partitions are spooled and SSTables are made.
func TestDiskFull(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a disk that is small")
	}
	whole := &WholeOptions{FilterChance: 0.01, IndexInterval: 128}
	for name, c := range map[string]struct {
		size   string // of the disk
		memory int64
		whole  *WholeOptions
		says   string
	}{
		"sorting":         {size: "32k", memory: 16 << 10, says: "sorted run"},
		"spooling":        {size: "16k", memory: 16 << 20, says: "sorted partitions"},
		"making SSTables": {size: "120k", memory: 16 << 20, whole: whole, says: "SSTable: "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+c.size))
			t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, 0)) })
			p := &pieces{}
			rows, _ := many(p, 5_000)
			tg, _ := newTarget(
				t,
				func(o *Options) {
					o.Dir, o.Memory, o.Whole, o.FileBytes = dir, c.memory, c.whole, 1<<20
				},
			)
			in := tg.Intake(readings.Columns)
			var failed error
			for len(rows) > 0 && failed == nil {
				failed = in.Put(context.Background(), rows[:50])
				rows = rows[50:]
			}
			ctx, cancel := context.WithCancel(context.Background())
			if failed != nil {
				cancel() // as a load does whose rows cannot be put in
			}
			tg.Finish()
			err := tg.Run(ctx)
			cancel()
			require.ErrorIs(t, errors.Join(failed, err), syscall.ENOSPC)
			require.ErrorContains(t, errors.Join(failed, err), c.says)
			require.Zero(t, p.written)
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}
