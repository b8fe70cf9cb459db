package load_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

// FuzzLoad loads any text. However it is cut into chunks, the same rows are
// written and the same are rejected, and nothing of the input goes missing.
func FuzzLoad(f *testing.F) {
	for _, s := range []string{
		"", "k,v,n\n", "a,b,1\n", "a,\"b\n\n\",1\r\nc,d,x\n", "\"\n\n\"\na,b,\"\n", "a,b,1\n\xef\xbb\xbfa,b,1",
		"a,\"b\"\"c\",2\n\"x\"y,b,3\nlast,,", ",,\n\n\n\"\",\"\",\"\"\n", strings.Repeat("k,v,9\n", 30) + "\"",
		strings.Repeat("x", 200) + "\n1,2,3\n",
	} {
		f.Add(s, uint16(7), uint16(90))
	}
	f.Fuzz(func(t *testing.T, s string, chunk, record uint16) {
		if len(s) > 4096 {
			s = s[:4096]
		}
		run := func(chunkSize int) (map[string]map[string]string, []string, load.Result) {
			job, c, rejects := loadtest.NewJob(tabletest.Names, "k,v,n\n"+s)
			job.ChunkSize = chunkSize
			job.MaxRecord = 2 + int(record)
			job.Nulls = []string{"NULL"}
			result, err := job.Run(context.Background())
			if job.MaxRecord < len("k,v,n\n") {
				require.Error(t, err)
				return nil, nil, load.Result{}
			}
			require.NoError(t, err)
			require.Empty(t, c.Broken)
			require.Equal(t, result.Read, result.Written+result.Rejected())
			rows := map[string]map[string]string{}
			for key, cells := range c.Cells {
				rows[key] = map[string]string{}
				for name, v := range cells {
					rows[key][name] = v.Value
				}
			}
			var refused []string
			for _, r := range rejects.Sorted() {
				refused = append(
					refused,
					fmt.Sprintf(
						"%d %d:%d %s %s %q",
						r.Offset,
						r.Line,
						r.Field,
						r.Column,
						r.Reason,
						r.Raw,
					),
				)
			}
			result.Batches = 0
			return rows, refused, loadtest.Counts(result)
		}
		rows, refused, result := run(1 + int(chunk))
		second, secondRefused, same := run(1 << 20)
		require.Equal(t, second, rows)
		require.Equal(t, secondRefused, refused)
		require.Equal(t, same, result)
	})
}
