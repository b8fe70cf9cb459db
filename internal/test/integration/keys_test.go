//go:build integration

package integration

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScanByKeys reads the partitions and rows that files list, and compares them with the rows of
// a scan of the table. What is missing can be read as keys again.
func TestScanByKeys(t *testing.T) {
	t.Parallel()
	const name = "it1.bykeys"
	table(t, name, "(p text, q frozen<set<int>>, c timestamp, d frozen<map<text, int>>, "+
		"s text static, v text, PRIMARY KEY ((p, q), c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC)")
	var input strings.Builder
	input.WriteString("p,q,c,d,s,v\n")
	for i := range 600 {
		fmt.Fprintf(&input, "\"p,%d\",\"{2, %d, 1}\",%d,\"{'b': 1, 'a': %d}\",s,%d\n",
			i%40, i%40, 1000*i, i, i)
	}
	ok(t, "load", name, file(t, "rows.csv", input.String()))
	header, rows, _ := strings.Cut(ok(t, "scan", name, "-q").out, "\n")
	all := sortedLines(t, rows)
	require.Len(t, all, 600)
	of := func(partitions ...string) (lines []string) {
		for _, line := range all {
			for _, p := range partitions {
				if strings.HasPrefix(line, `"p,`+p+`",`) {
					lines = append(lines, line)
				}
			}
		}
		return lines
	}
	for what, c := range map[string]struct {
		file, keys string
		flags      []string
		want       []string
		missing    string
	}{
		"partitions": {
			file:    "k.csv",
			keys:    "p,q\n\"p,3\",\"{3, 1, 2}\"\n\"p,7\",\"{7, 2, 1}\"\nnone,{1}\n",
			want:    of("3", "7"),
			missing: "p,q,c,d\nnone,{1},,\n",
		},
		"the output of a scan": {
			file: "k.csv",
			keys: header + "\n" + strings.Join(all[:50], "\n") + "\n",
			want: all[:50],
		},
		"the first clustering column": {
			file:    "k.json",
			keys:    `[{"p": "p,3", "q": [1, 2, 3], "c": 3000}, {"p": "p,3", "q": [1, 2, 3], "c": 5}]`,
			flags:   []string{"--format", "json"},
			want:    nil, // it is compared below
			missing: `{"p":"p,3","q":[1,2,3],"c":"1970-01-01T00:00:00.005Z"}` + "\n",
		},
		"without a header": {
			file:    "k.tsv",
			keys:    "p,5\t{1, 2, 5}\nx\t{5}\n",
			flags:   []string{"--header=false"},
			want:    of("5"),
			missing: "x,{5},,\n",
		},
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			args := []string{"scan", name, "--keys", file(t, c.file, c.keys), "-o", dir + "/out"}
			r := ok(t, append(args, c.flags...)...)
			text, err := os.ReadFile(dir + "/out")
			require.NoError(t, err)
			lines := sortedLines(t, string(text))
			if strings.HasPrefix(string(text), header) {
				lines = lines[1:]
			}
			if c.want == nil {
				require.Len(t, lines, 1)
				require.Contains(t, lines[0], `"c":"1970-01-01T00:00:03Z"`)
			} else {
				require.ElementsMatch(t, c.want, lines)
			}
			format := "csv"
			if len(c.flags) > 1 {
				format = "json"
			}
			missing, err := os.ReadFile(dir + "/out.missing." + format)
			if c.missing == "" {
				require.ErrorIs(t, err, os.ErrNotExist)
				require.Contains(t, r.report, " 0 without a row")
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.missing, string(missing))
			args = []string{"scan", name, "--keys", dir + "/out.missing." + format, "-o", dir + "/again"}
			require.Contains(t, ok(t, append(args, c.flags...)...).report, " 0 rows of "+name)
		})
	}
}

func TestScanByKeysRefuses(t *testing.T) {
	t.Parallel()
	const name = "it1.keysrefused"
	table(t, name, "(p int, c int, v int, PRIMARY KEY (p, c))")
	exec(t, "INSERT INTO "+name+" (p, c, v) VALUES (1, 1, 1)")
	for _, c := range []struct {
		keys  string
		flags []string
		want  string
	}{
		{"c,v\n1,1\n", nil, `the input has no field for primary key column "p"`},
		{"p,w\n1,1\n", nil, "--skipcols w"},
		{"p\nx\ny\n", nil, "there is no key in the input"},
		{"p\n", nil, "there is no key in the input"},
		{"p\n1\n", []string{"--where", "v = 1"}, "leave out the condition"},
		{"p\n1\n", []string{"--via", "stream"}, "--via stream reads whole tables, and not by key"},
	} {
		dir := t.TempDir()
		args := []string{"scan", name, "--keys", file(t, "k.csv", c.keys), "-o", dir + "/out.csv"}
		r := cqlbulk(t, append(args, c.flags...)...)
		require.NotZero(t, r.code)
		require.Contains(t, r.report, c.want)
		require.NoFileExists(t, dir+"/out.csv")
		require.NoFileExists(t, dir+"/out.csv.part")
	}
	r := cqlbulk(t, "scan", name, "--missing", "x.csv")
	require.Contains(t, r.report, "--missing requires --keys")

	// lines that are no keys are kept, and the others are read
	dir := t.TempDir()
	keys := file(t, "k.csv", "p,c\n1,1\nx,1\n,1\n1,y\n")
	r = cqlbulk(t, "scan", name, "--keys", keys, "-o", dir+"/out.csv")
	require.Equal(t, 2, r.code, r.report)
	require.Contains(t, r.report, `k.csv:3:1: column "p", value "x": invalid int`)
	require.Contains(t, r.report, "done, but 3 lines of the keys were rejected")
	text, err := os.ReadFile(dir + "/out.csv.rejects/rejects.csv")
	require.NoError(t, err)
	require.Equal(t, "p,c\nx,1\n,1\n1,y\n", string(text))
	text, err = os.ReadFile(dir + "/out.csv")
	require.NoError(t, err)
	require.Equal(t, "p,c,v\n1,1,1\n", string(text))
}
