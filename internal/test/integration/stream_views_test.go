//go:build integration

package integration

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Views and indexes have the rows that are streamed, and change capture sees them, whether they
// come as rows or as entire SSTables.
func TestStreamedRowsAreInViewsAndIndexes(t *testing.T) {
	lengthy(t)
	t.Parallel()
	const rows = 600
	for _, form := range []string{"rows", "whole"} {
		name := "seen_" + form
		exec(t, "DROP MATERIALIZED VIEW IF EXISTS it2."+name+"_by_g")
		table(t, "it2."+name, "(k int PRIMARY KEY, g int, v text) WITH cdc = true")
		exec(
			t,
			"CREATE MATERIALIZED VIEW it2."+name+"_by_g AS SELECT * FROM it2."+name+" WHERE g IS NOT NULL AND k IS NOT NULL PRIMARY KEY (g, k)",
			"CREATE INDEX ON it2."+name+" (v)",
		)
		var in strings.Builder
		in.WriteString("k,g,v\n")
		for k := range rows {
			fmt.Fprintf(&in, "%d,%d,%s captured %d\n", k, k%7, form, k%20)
		}
		r := ok(
			t,
			"load",
			"it2."+name,
			file(t, "in.csv", in.String()),
			"--via",
			"stream",
			"--stream",
			form,
		)
		require.Contains(t, r.report, "the servers write each row once more")
		// Replicas of the view get it a moment later.
		require.Eventually(
			t,
			func() bool { return ok(t, "count", "it2."+name+"_by_g").out == fmt.Sprintln(rows) },
			time.Minute,
			200*time.Millisecond,
		)
		require.Equal(
			t,
			sortedLines(t, ok(t, "scan", "it2."+name, "--columns", "g,k,v").out),
			sortedLines(t, ok(t, "scan", "it2."+name+"_by_g").out),
		)
		found := sortedLines(
			t,
			ok(
				t,
				"scan",
				"it2."+name,
				"--where",
				fmt.Sprintf("v = '%s captured 3'", form),
				"--header=false",
			).out,
		)
		require.Len(t, found, rows/20)
		require.True(
			t,
			captured(t, form+" captured 3"),
			"no segment for change capture has rows of %s",
			name,
		)
		exec(t, "DROP MATERIALIZED VIEW it2."+name+"_by_g")
	}
}

// captured says whether some node has a text in the segments of its commit log that it keeps for
// change capture.
func captured(t *testing.T, text string) bool {
	t.Helper()
	segments, err := filepath.Glob(filepath.Join(clusterFolder(), "node*/data/cdc_raw/*.log"))
	require.NoError(t, err)
	for _, path := range segments {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		if bytes.Contains(content, []byte(text)) {
			return true
		}
	}
	return false
}

// An index of storage-attached indexing has the rows, which are then not sent as entire SSTables.
func TestStreamedRowsAreInAttachedIndexes(t *testing.T) {
	t.Parallel()
	if !atLeast(t, 5) {
		return // there are none
	}
	table(t, "it2.attached", "(k int PRIMARY KEY, v int)")
	exec(t, "CREATE INDEX ON it2.attached (v) USING 'sai'")
	var in strings.Builder
	in.WriteString("k,v\n")
	for k := range 600 {
		fmt.Fprintf(&in, "%d,%d\n", k, k%20)
	}
	path := file(t, "in.csv", in.String())
	r := cqlbulk(t, "load", "it2.attached", path, "--via", "stream", "--stream", "whole")
	require.Equal(t, 1, r.code)
	require.Contains(t, r.report, "which fails if it is sent entire SSTables")
	const why = "index attached_v_idx is of sai, which fails if it is sent entire SSTables"
	require.Contains(
		t,
		ok(t, "doctor", "it2.attached", "--json").out,
		`"--via stream: rows can bypass CQL, one by one: `+why+`"`,
	)
	require.Contains(
		t,
		ok(t, "load", "it2.attached", path, "--via", "stream").report,
		"rows are streamed one by one: "+why,
	)
	require.Len(
		t,
		sortedLines(t, ok(t, "scan", "it2.attached", "--where", "v = 7", "--header=false").out),
		30,
	)
	require.Len(
		t,
		sortedLines(t, ok(t, "scan", "it2.attached", "--where", "v >= 18", "--header=false").out),
		60,
	)
}
