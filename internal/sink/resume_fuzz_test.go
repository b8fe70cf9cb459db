package sink

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/store"
	"github.com/stretchr/testify/require"
)

// FuzzResume takes whatever is said to be a mark. It is refused, or resumed
// within the folder.
func FuzzResume(f *testing.F) {
	for _, s := range []string{
		`{}`, `null`, `{"series":[]}`, `{"series":[{"worker":1}]}`, `{"series":[{"worker":0,"open":{"number":1,"name":"../kept"}}]}`,
		`{"series":[{"worker":1,"done":[{"number":1,"name":"../kept","bytes":4,"sha256":"00"}]}]}`,
		`{"series":[{"worker":1,"open":{"number":1,"name":"b-0001-0001","bytes":-1,"state":"c2hhAw=="}}]}`,
		`{"series":[{"worker":9223372036854775807,"open":{"number":1,"name":"b-9223372036854775807-0001"}}]}`,
	} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	for _, dir := range []bool{false, true} {
		folder := f.TempDir()
		options := Options{Path: folder, Dir: true, Base: "b", MaxRows: 3}
		if !dir {
			options = Options{Path: filepath.Join(folder, "one")}
		}
		o, err := Open(options)
		require.NoError(f, err)
		w := o.Writer()
		require.NoError(f, w.Write(3, text(0, 3)))
		require.NoError(f, w.Write(3, text(3, 3)))
		m, err := o.Mark()
		require.NoError(f, err)
		b, err := json.Marshal(m)
		require.NoError(f, err)
		require.NoError(f, o.Abort())
		f.Add(b, dir)
	}
	f.Fuzz(func(t *testing.T, b []byte, dir bool) {
		var m Mark
		if json.Unmarshal(b, &m) != nil {
			return
		}
		above := t.TempDir()
		folder := filepath.Join(above, "out")
		require.NoError(t, os.Mkdir(folder, 0o700))
		kept := []string{
			filepath.Join(above, "kept"),
			filepath.Join(above, "kept.part"),
			filepath.Join(folder, "kept.part"),
		}
		for _, path := range kept {
			require.NoError(t, os.WriteFile(path, []byte("kept"), 0o600))
		}
		// These are there to be resumed: the very content that the seeds vouch for.
		options := Options{Path: folder, Dir: true, Base: "b", MaxRows: 3}
		parts := map[string][]byte{"b-0001-0001": text(0, 3), "b-0001-0002": text(3, 3)}
		if !dir {
			options = Options{Path: filepath.Join(folder, "one")}
			parts = map[string][]byte{"one": text(0, 6)}
		}
		for name, stored := range parts {
			require.NoError(
				t,
				os.WriteFile(
					filepath.Join(folder, name+store.PartSuffix),
					append(stored, "more"...),
					0o600,
				),
			)
		}
		if o, err := Resume(options, m); err == nil {
			for range 3 {
				_ = o.Writer().Write(1, text(7, 1))
			}
			if o.Commit() == nil {
				require.Equal(t, len(o.Files())+1, len(names(t, folder)))
			} else {
				require.NoError(t, o.Abort())
			}
		}
		for _, path := range kept {
			got, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, "kept", string(got))
		}
		require.Len(t, names(t, above), 3)
	})
}
