package reject

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
)

func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	found := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		found[e.Name()] = string(text)
	}
	return found
}

// A resume removes what came after the state. New rejects go to the files to which they would have
// gone.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	header := []byte("k,v\n")
	row := func(raw, reason string, stage ingest.Stage) []ingest.Reject {
		return []ingest.Reject{
			{File: "f", Header: header, Raw: []byte(raw), Reason: reason, Stage: stage},
		}
	}
	piece := func(d *Dir, text string, first, last bool) {
		require.NoError(
			t,
			d.AddPiece(
				ingest.Reject{Header: header, Raw: []byte(text), Reason: "long"},
				first,
				last,
			),
		)
	}
	end := func(d *Dir) { require.NoError(t, d.Add([]ingest.Reject{{Header: header, Long: true, Reason: "long"}})) }
	d := New(path, ".csv")
	require.NoError(t, d.Add(row("1,a\n", "bad 1", ingest.Parse)))
	piece(d, "long", true, false)
	piece(d, " row\n", false, true)
	end(d)
	piece(d, "whole, but not added\n", true, true)
	require.NoError(t, d.Add(row("2,a\n", "bad 2", ingest.Insert)))
	state, err := d.Changed()
	require.NoError(t, err)
	kept := files(t, path)
	delete(kept, "rejects-long-2.csv")
	require.NoError(t, d.Add(row("3,a\n", "bad 3", ingest.Insert)))
	require.NoError(t, d.Add(row("4,a\n", "maybe", ingest.InDoubt)))
	end(d)
	require.NoError(t, d.Close())
	require.NoError(t, os.WriteFile(filepath.Join(path, "journal"), []byte("x"), 0o600))

	d, err = Resume(path, ".csv", state)
	require.NoError(t, err)
	require.NoError(t, d.Sync())
	kept["journal"] = "x"
	require.Equal(t, kept, files(t, path))
	require.Len(t, d.Causes(), 3, "those that are kept")
	require.NoError(t, d.Add(row("5,a\n", "bad 5", ingest.Insert)))
	piece(d, "another\n", true, true)
	end(d)
	require.NoError(t, d.Close())
	now := files(t, path)
	require.Equal(t, "k,v\n1,a\n2,a\n5,a\n", now["rejects.csv"])
	require.Equal(t, "k,v\nlong row\n", now["rejects-long-1.csv"])
	require.Equal(t, "k,v\nanother\n", now["rejects-long-2.csv"])
}

// Rows that were not applied keep files of their own after a resume, and no retry finds them.
func TestResumeOfRowsNotApplied(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	row := func(header, raw string, stage ingest.Stage) []ingest.Reject {
		return []ingest.Reject{{Header: []byte(header), Raw: []byte(raw), Stage: stage, Reason: "r"}}
	}
	d := New(path, ".csv")
	require.NoError(t, d.Add(row("k\n", "1\n", ingest.NotApplied)))
	state, err := d.Changed()
	require.NoError(t, err)
	require.NoError(t, d.Close())

	d, err = Resume(path, ".csv", state)
	require.NoError(t, err)
	require.NoError(t, d.Add(row("k\n", "2\n", ingest.Parse)))
	require.NoError(t, d.Add(row("k\n", "3\n", ingest.NotApplied)))
	require.NoError(t, d.Add(row("v\n", "4\n", ingest.NotApplied)))
	require.NoError(t, d.Close())
	there := files(t, path)
	delete(there, journal.ErrorsFile)
	require.Equal(t, map[string]string{
		"rejects.csv":       "k\n2\n",
		"not-applied.csv":   "k\n1\n3\n",
		"not-applied-2.csv": "v\n4\n",
	}, there)
	kept, err := Find(path)
	require.NoError(t, err)
	require.Len(t, kept, 1)
	require.Equal(t, "rejects.csv", filepath.Base(kept[0].Path))
}

func TestResumeRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	d := New(path, ".csv")
	require.NoError(
		t,
		d.Add([]ingest.Reject{{Raw: []byte("1\n"), Reason: "bad", Stage: ingest.Parse}}),
	)
	state, err := d.Changed()
	require.NoError(t, err)
	require.NoError(t, d.Close())
	bad := State{Files: []FileState{{Name: "../rejects.csv"}}}
	_, err = Resume(path, ".csv", bad)
	require.EqualError(t, err, `rejects: "../rejects.csv" is no file of rejects`)
	name := filepath.Join(path, "rejects.csv")
	require.NoError(t, os.WriteFile(name, []byte("7\nmended\n"), 0o600))
	_, err = Resume(path, ".csv", state)
	require.ErrorContains(
		t,
		err,
		"rejects.csv: its first 2 bytes are not those that the run had written: it was changed",
	)
	require.Equal(t, "7\nmended\n", files(t, path)["rejects.csv"], "it is unchanged")
	require.NoError(t, os.Truncate(filepath.Join(path, "rejects.csv"), 1))
	_, err = Resume(path, ".csv", state)
	require.ErrorContains(
		t,
		err,
		"rejects.csv has 1 bytes instead of the 2 that the run had written: it was changed",
	)
	require.NoError(t, os.Remove(filepath.Join(path, "rejects.csv")))
	_, err = Resume(path, ".csv", state)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A header may be in any encoding.
func TestResumeKnowsHeaders(t *testing.T) {
	dir := t.TempDir()
	d := New(dir, ".csv")
	add := func(header, raw string) {
		require.NoError(
			t,
			d.Add([]ingest.Reject{{Header: []byte(header), Raw: []byte(raw), Stage: ingest.Parse}}),
		)
	}
	add("id,\xe9\n", "1,a\n")
	var s State
	for _, raw := range []string{"2,a\n", "3,a\n"} {
		changed, err := d.Changed()
		require.NoError(t, err)
		s.Update(changed)
		text, err := json.Marshal(s)
		require.NoError(t, err)
		require.NoError(t, d.Close())
		var reread State
		require.NoError(t, json.Unmarshal(text, &reread))
		d, err = Resume(dir, ".csv", reread)
		require.NoError(t, err)
		add("id,\xe9\n", raw)
	}
	add("id,name\n", "4,b\n")
	require.NoError(t, d.Close())
	now := files(t, dir)
	delete(now, journal.ErrorsFile)
	require.Equal(
		t,
		map[string]string{
			"rejects.csv":   "id,\xe9\n1,a\n2,a\n3,a\n",
			"rejects-2.csv": "id,name\n4,b\n",
		},
		now,
	)
}

// Rows are taken from files of rejects alone.
func TestFindRefuses(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Symlink("/etc/hostname", filepath.Join(dir, "rejects.csv")))
	for kept, want := range map[string]string{
		"rejects.csv": "is no plain file", "..": "is no file of rejects", "other.csv": "is no file of rejects", "../rejects.csv": "is no file of rejects",
	} {
		text, err := json.Marshal(lineOf(&entry{Kept: kept}, nil))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, journal.ErrorsFile), text, 0o600))
		_, err = Find(dir)
		require.ErrorContains(t, err, want, kept)
	}
}
