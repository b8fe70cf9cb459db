package operation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/snapshot"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// filesIn are SSTables of folders, by their ids; those whose folder begins with snap are of one.
func filesIn(all ...[2]string) *files.Files {
	f := &snapshot.Found{}
	for _, a := range all {
		t := snapshot.SSTable{
			Descriptor: component.Descriptor{Version: component.NB, ID: a[1]},
			Folder:     a[0],
			Node:       a[0],
		}
		if a[0][:4] == "snap" {
			t.Tag = "nightly"
		}
		f.SSTables = append(f.SSTables, t)
	}
	return &files.Files{Found: f}
}

// A scan of folders is not resumed when SSTables are gone, which are named; but a compaction of
// live data leaves others in their place.
func TestResumeNamesMissingSSTables(t *testing.T) {
	begun := [][2]string{
		{"live1", "1"},
		{"live1", "2"},
		{"live2", "1"},
		{"snap1", "1"},
		{"snap1", "2"},
	}
	account := filesIn(begun...).Account()
	require.Len(t, account, 3)
	for _, c := range []struct {
		now     [][2]string
		missing string
	}{
		{begun, ""},
		{[][2]string{{"live1", "3"}, {"live2", "1"}, {"snap1", "1"}, {"snap1", "2"}}, ""},
		{append(begun[:5:5], [2]string{"snap1", "3"}, [2]string{"other", "1"}), ""},
		{begun[:3], "snap1"},
		{begun[:4], "snap1/nb-2-big-Data.db"},
		{append(begun[:4:4], [2]string{"snap1", "3"}), "snap1/nb-2-big-Data.db"},
		{begun[1:], "live1/nb-1-big-Data.db"},
		{append(begun[:2:2], begun[3:]...), "live2"},
		{begun[2:3], "live1, snap1"},
	} {
		err := filesIn(c.now...).RefuseMissing(account)
		if c.missing == "" {
			require.NoError(t, err, "%v", c.now)
			continue
		}
		require.EqualError(
			t,
			err,
			"SSTables that the scan began with are not there any more: "+c.missing+
				": rows would be missing in the output; put them back, or start over",
		)
	}
}
