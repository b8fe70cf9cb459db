package journal

import (
	"os"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// disk is a journal's file that fails as the test wants.
type disk struct {
	*os.File
	room         int // bytes that can still be written
	failTruncate bool
	failSync     bool

	writes, syncs int
	entered       chan struct{} // if not nil: gets one when a Sync begins,
	leave         chan struct{} // which ends when this gives one
}

func onDisk(t *testing.T, d *disk) *Journal {
	t.Helper()
	j := create(t)
	d.File = j.file.(*os.File)
	j.file = d
	return j
}

func (d *disk) Write(b []byte) (int, error) {
	d.writes++
	if len(b) <= d.room {
		d.room -= len(b)
		return d.File.Write(b)
	}
	n, err := d.File.Write(b[:d.room])
	d.room -= n
	if err == nil {
		err = &os.PathError{Op: "write", Path: d.Name(), Err: syscall.ENOSPC}
	}
	return n, err
}

func (d *disk) Truncate(size int64) error {
	if d.failTruncate {
		return syscall.EIO
	}
	return d.File.Truncate(size)
}

func (d *disk) Sync() error {
	d.syncs++
	if d.entered != nil {
		d.entered <- struct{}{}
		<-d.leave
	}
	if d.failSync {
		return syscall.EIO
	}
	return d.File.Sync()
}

func TestDiskFull(t *testing.T) {
	record := len(appendRecord(nil, 1, "a", []byte("1")))
	for name, c := range map[string]struct {
		over         int // room after the first record
		failTruncate bool
		tail         int64
	}{
		"between records":        {0, false, 0},
		"within a record":        {5, false, 0},
		"but for the last byte":  {record - 1, false, 0},
		"and cannot be undone":   {5, true, 5},
		"nothing to be undone":   {0, true, 0},
		"room for a second, too": {record + 3, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := &disk{room: record + c.over, failTruncate: c.failTruncate}
			j := onDisk(t, d)
			require.NoError(t, j.Append("a", 1))
			err := error(nil)
			whole := uint64(0)
			for err == nil {
				whole++
				err = j.Append("a", 2)
			}
			require.ErrorIs(t, err, syscall.ENOSPC)
			require.ErrorContains(t, err, "journal "+j.path()+": record ")
			if c.failTruncate && c.over > 0 {
				require.ErrorIs(t, err, syscall.EIO)
			}
			d.room = 1 << 20
			writes := d.writes
			require.Equal(t, err, j.Append("a", 3), "it stays though there is room again")
			require.Equal(t, err, j.Sync())
			require.Equal(t, writes, d.writes)
			require.Equal(t, err, j.Close())

			j, err = Open(j.dir, nothing)
			require.NoError(t, err)
			require.Equal(t, whole, j.seq)
			require.Equal(t, c.tail, j.tail.Bytes)
			require.NoError(t, j.Append("a", 3))
			require.NoError(t, j.Close())
		})
	}
}

func TestOneWriteForARecord(t *testing.T) {
	d := &disk{room: 1 << 20}
	j := onDisk(t, d)
	for i := range 10 {
		require.NoError(t, j.Append("a", i))
	}
	require.Equal(t, 10, d.writes)
}

func TestSyncFails(t *testing.T) {
	d := &disk{room: 1 << 20, failSync: true}
	j := onDisk(t, d)
	require.NoError(t, j.Append("a", 1))
	err := j.Sync()
	require.ErrorIs(t, err, syscall.EIO)
	require.ErrorContains(t, err, "journal "+j.path()+": ")
	d.failSync = false
	require.Equal(t, err, j.Sync(), "a second fsync that succeeds says nothing of the first")
	require.Equal(t, err, j.Append("a", 2))
	require.Equal(t, err, j.Close())
	require.Equal(t, 1, d.syncs)
}

func TestSyncOnlyWhatIsNew(t *testing.T) {
	d := &disk{room: 1 << 20}
	j := onDisk(t, d)
	require.NoError(t, j.Sync())
	require.Equal(t, 0, d.syncs, "Create has synced")
	require.NoError(t, j.Append("a", 1))
	require.NoError(t, j.Sync())
	require.NoError(t, j.Sync())
	require.Equal(t, 1, d.syncs)
	require.NoError(t, j.Append("a", 2))
	require.NoError(t, j.Close())
	require.Equal(t, 2, d.syncs)
}

func TestAppendDoesNotWaitForSync(t *testing.T) {
	d := &disk{room: 1 << 20, entered: make(chan struct{}), leave: make(chan struct{})}
	j := onDisk(t, d)
	require.NoError(t, j.Append("a", 1))
	var all sync.WaitGroup
	for range 3 { // one syncs, the others wait for it, or come later
		all.Go(func() {
			if err := j.Sync(); err != nil {
				t.Error(err)
			}
		})
	}
	<-d.entered
	require.NoError(t, j.Append("a", 2), "while the fsync hangs")
	d.leave <- struct{}{}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	for pending := true; pending; {
		select {
		case <-d.entered: // by one that began after the second Append
			d.leave <- struct{}{}
		case <-done:
			pending = false
		}
	}
	require.LessOrEqual(t, d.syncs, 2, "of three")
	go func() { <-d.entered; d.leave <- struct{}{} }()
	require.NoError(t, j.Append("a", 3))
	require.NoError(t, j.Close())
}
