package status

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
)

// A folder where others may write can have a run of theirs, as new as they like.
func TestTheNewestRunIsNotOneOfAnotherUser(t *testing.T) {
	folder := t.TempDir()
	dir := filepath.Join(folder, "run")
	options, err := json.Marshal(recorded.Spec{Args: []string{"ks.t", "f.csv"}})
	require.NoError(t, err)
	extra, err := json.Marshal(records.Extra{})
	require.NoError(t, err)
	l, err := records.NewLoad(
		dir,
		journal.Manifest{Command: run.CommandLoad, Table: "ks.t", Options: options, Extra: extra},
	)
	require.NoError(t, err)
	require.NoError(t, l.Abandon())
	newest, err := Newest(folder, run.CommandResume, false)
	require.NoError(t, err)
	require.Equal(t, dir, newest)

	defer func(before func(...string) string) { otherOwner = before }(otherOwner)
	otherOwner = func(paths ...string) string {
		require.Equal(t, []string{dir, filepath.Join(dir, "run.json")}, paths)
		return "mallory"
	}
	_, err = Newest(folder, run.CommandResume, false)
	require.ErrorContains(
		t,
		err,
		"the newest run is "+dir+", which belongs to user mallory: name it if you trust it",
	)
}

// A run that this user may not read is not said to be damaged.
func TestARunOfAnotherUserIsUnreadable(t *testing.T) {
	defer func(before func(...string) string) { otherOwner = before }(otherOwner)
	for owner, want := range map[string]string{
		"mallory": "run belongs to user mallory: only that user and root can read it; whether a run in it is under way is not known",
		"":        "run cannot be read: permission denied; whether a run in it is under way is not known",
	} {
		otherOwner = func(...string) string { return owner }
		r := damaged("run", fmt.Errorf("run directory run: open journal: %w", fs.ErrPermission))
		require.Equal(t, Unreadable, r.State)
		require.EqualError(t, r.Err, want)
	}
}
