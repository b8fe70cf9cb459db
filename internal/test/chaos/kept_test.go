package chaos

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"
)

// kept is what a run directory holds of rows that were not written.
type kept struct {
	stages map[*record]string
	places map[place]*record // of the rows in the files of rejects
	sizes  map[string]int    // how many rows a file has
}

// of counts the rows of a stage.
func (k *kept) of(stages ...string) int {
	n := 0
	for _, stage := range k.stages {
		for _, s := range stages {
			if s == stage {
				n++
			}
		}
	}
	return n
}

// The stages, as errors.jsonl names them.
const (
	atParse  = "parse"
	atInsert = "insert"
	inDoubt  = "in doubt"
)

// keptIn reads the rejects of a run: each must be a record of its inputs, byte for
// byte, once, under the header of its file.
func (s *schedule) keptIn(dir string, places map[place]*record, headers map[string][]byte) *kept {
	k := &kept{
		stages: make(map[*record]string),
		places: make(map[place]*record),
		sizes:  make(map[string]int),
	}
	reasons, err := os.ReadFile(filepath.Join(dir, "errors.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		s.noOthers(dir, k)
		return k
	}
	require.NoError(s, err)
	rest := make(map[string][]byte)
	at := make(map[string]int64)
	type entry struct {
		File, Kept, Stage, Reason string
		Offset                    int64
	}
	var e entry
	for line := range strings.Lines(string(reasons)) {
		if strings.HasPrefix(line, `{"file":`) {
			e = entry{} // else it has what is not as before
		}
		require.NoError(s, json.Unmarshal([]byte(line), &e), "errors.jsonl")
		rec := places[place{e.File, e.Offset}]
		require.NotNil(s, rec, "there is no record at byte %d of %s", e.Offset, e.File)
		require.NotContains(s, k.stages, rec, "record %d is rejected twice", rec.id)
		require.NotEmpty(s, e.Reason)
		k.stages[rec] = e.Stage
		path := filepath.Join(dir, e.Kept)
		if _, begun := rest[path]; !begun {
			text, err := os.ReadFile(path)
			require.NoError(s, err)
			after, ok := bytes.CutPrefix(text, headers[e.File])
			require.True(s, ok, "%s does not begin with %q", path, headers[e.File])
			rest[path], at[path] = after, int64(len(text)-len(after))
		}
		raw := ended(rec.raw)
		after, ok := bytes.CutPrefix(rest[path], raw)
		require.True(
			s,
			ok,
			"%s has %.200q instead of record %d, %.200q",
			path,
			rest[path],
			rec.id,
			raw,
		)
		k.places[place{path, at[path]}] = rec
		k.sizes[path]++
		rest[path], at[path] = after, at[path]+int64(len(raw))
	}
	for path, text := range rest {
		require.Empty(s, string(text), "%s holds more than errors.jsonl names", path)
	}
	s.noOthers(dir, k)
	return k
}

// noOthers says that there are no rows but those that are named.
func (s *schedule) noOthers(dir string, k *kept) {
	for _, pattern := range []string{"rejects*", "in-doubt*"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(s, err)
		for _, path := range paths {
			require.Contains(s, k.sizes, path, "errors.jsonl does not name it")
		}
	}
}

// ended is a line with the end that it is kept with.
func ended(raw []byte) []byte {
	if strings.HasSuffix(string(raw), "\n") {
		return raw
	}
	return append(append([]byte{}, raw...), '\n')
}
