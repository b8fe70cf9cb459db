package reject

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
)

func read(t *testing.T, text string) []entry {
	t.Helper()
	var all []entry
	require.NoError(
		t,
		entries(strings.NewReader(text), "errors.jsonl", func(e entry) { all = append(all, e) }),
	)
	return all
}

// What a line leaves out is as in the line before, and empty where it names the file.
func TestLines(t *testing.T) {
	var text strings.Builder
	lines := json.NewEncoder(&text)
	var before *entry
	told := []entry{
		{"a", 2, 3, 10, "n", "x", "no int", ingest.Parse, 7, "rejects.csv", 0, "", nil},
		{"a", 3, 3, 16, "n", "y", "no int", ingest.Parse, 7, "rejects.csv", 0, "", nil},
		{"a", 4, 1, 22, "", "", "refused", ingest.Insert, 0, "rejects.csv", 2, "", nil},
		{"b", 4, 1, 0, "", "", "refused", ingest.Insert, 0, "rejects.csv", 0, "", nil},
		{"", 4, 1, 0, "", "", "refused", ingest.Insert, 0, "rejects.csv", 0, "", nil},
		{"", 5, 1, 9, "", "", "refused", ingest.InDoubt, 0, "in-doubt.csv", 0, "", nil},
	}
	for _, e := range told {
		require.NoError(t, lines.Encode(lineOf(&e, before)))
		before = &e
	}
	require.Equal(
		t,
		`{"file":"a","line":2,"column":3,"offset":10,"name":"n","value":"x","reason":"no int","stage":"parse","timestamp":7,"kept":"rejects.csv"}
{"line":3,"offset":16,"value":"y"}
{"line":4,"column":1,"offset":22,"name":"","value":"","reason":"refused","stage":"insert","timestamp":0,"repeats":2}
{"file":"b","line":4,"column":1,"reason":"refused","stage":"insert","kept":"rejects.csv"}
{"file":"","line":4,"column":1,"reason":"refused","stage":"insert","kept":"rejects.csv"}
{"line":5,"offset":9,"stage":"in doubt","kept":"in-doubt.csv"}
`,
		text.String(),
	)
	require.Equal(t, told, read(t, text.String()))
}

// A resumed run begins with a whole line, wherever the run before it was cut off.
func TestLinesOfAnotherRun(t *testing.T) {
	rejects := func(from int) (list []ingest.Reject) {
		for i := range 3 {
			list = append(list, ingest.Reject{
				File:   "a",
				Raw:    []byte("x\n"),
				Line:   int64(from + i),
				Field:  1,
				Column: "n",
				Reason: fmt.Sprint("no int ", from),
				Stage:  ingest.Parse,
			})
		}
		return list
	}
	d := folder(t)
	require.NoError(t, d.Add(rejects(1)))
	state, err := d.Changed()
	require.NoError(t, err)
	require.NoError(t, d.Add(rejects(100)))
	require.NoError(t, d.Close())

	d, err = Resume(d.path, ".csv", state)
	require.NoError(t, err)
	require.NoError(t, d.Add(rejects(4)))
	require.NoError(t, d.Close())
	all := read(t, contents(t, d)["errors.jsonl"])
	require.Len(t, all, 6)
	for i, e := range all {
		require.Equal(
			t,
			entry{
				"a",
				int64(i + 1),
				1,
				0,
				"n",
				"",
				fmt.Sprint("no int ", i/3*3+1),
				ingest.Parse,
				0,
				"rejects.csv",
				0,
				"",
				nil,
			},
			e,
		)
	}
}
