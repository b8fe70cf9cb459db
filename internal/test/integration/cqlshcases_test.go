//go:build integration

package integration

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	caseType = `CREATE TYPE it1.cased (street text, "Zip" int)`
	caseBody = `(name text, k int, a text, b text, bl blob, bo boolean, du duration, mt map<text, time>, n int,
		tp tuple<int, text>, ts timestamp, ud frozen<cased>, PRIMARY KEY (name, k))`
)

// cqlshCase is a small file that COPY FROM does not load, or not as what it says.
type cqlshCase struct {
	columns  string   // those given to COPY FROM
	input    string   // under a header; NAME stands for the case
	options  string   // of COPY FROM
	flags    []string // of load
	says     string   // what cqlsh says
	cqlsh    []string // the rows that cqlsh makes
	want     []string // the rows that there are in the file
	rejected int      // rows that are in truth none
}

// cqlshCases are by name what goes wrong.
var cqlshCases = map[string]cqlshCase{
	"doubled quotes": {
		columns: "name,k,a", input: "name,k,a\nNAME,1,\"say \"\"hi\"\"\"\n",
		cqlsh: []string{`k=1 a="say \"hi\"\"\""`},
		want:  []string{`k=1 a="say \"hi\""`},
	},
	"a backslash": {
		columns: "name,k,a", input: "name,k,a\nNAME,1,C:\\new\n",
		cqlsh: []string{`k=1 a="C:new"`},
		want:  []string{`k=1 a="C:\\new"`},
	},
	"names of the header in another order": {
		columns: "name,k,a,b", input: "name,b,k,a\nNAME,2,1,ay\n",
		cqlsh: []string{`k=2 a="1" b="ay"`},
		want:  []string{`k=1 a="ay" b="2"`},
	},
	"a byte order mark": {
		columns: "name,k,a",
		input:   "\ufeffNAME,1,x\n",
		options: "HEADER = false AND ",
		flags:   []string{"--header=false", "--columns", "name,k,a"},
		cqlsh:   nil, // the row is there under another name
		want:    []string{`k=1 a="x"`},
	},
	"an empty text and null": {
		columns: "name,k,a,b", input: "name,k,a,b\nNAME,1,\"\",\n",
		cqlsh: []string{`k=1`},
		want:  []string{`k=1 a=""`},
	},
	"an ISO 8601 timestamp": {
		columns: "name,k,ts", input: "name,k,ts\nNAME,1,2015-12-13T09:46:40Z\n",
		cqlsh: []string{`k=1 ts="2015-12-13T00:00:00Z"`},
		want:  []string{`k=1 ts="2015-12-13T09:46:40Z"`},
	},
	"a millisecond": {
		columns: "name,k,ts", input: "name,k,ts\nNAME,1,2038-09-06 21:03:55.766+0000\n",
		cqlsh: []string{`k=1 ts="2038-09-06T21:03:55.765Z"`},
		want:  []string{`k=1 ts="2038-09-06T21:03:55.766Z"`},
	},
	"a zone east of Greenwich": {
		columns: "name,k,ts", input: "name,k,ts\nNAME,1,2015-12-13 09:46:40+05:30\n",
		cqlsh: []string{`k=1 ts="2015-12-13T15:16:40Z"`},
		want:  []string{`k=1 ts="2015-12-13T04:16:40Z"`},
	},
	"a blob without 0x": {
		columns: "name,k,bl", input: "name,k,bl\nNAME,1,00ff\n",
		cqlsh: []string{`k=1 bl="0xff"`}, rejected: 1,
	},
	"another word for true": {
		columns: "name,k,bo", input: "name,k,bo\nNAME,1,yes\nNAME,2,1\nNAME,3,maybe\n",
		cqlsh: []string{`k=1 bo=false`, `k=2 bo=false`, `k=3 bo=false`},
		want:  []string{`k=1 bo=true`, `k=2 bo=true`}, rejected: 1,
	},
	"one value out of range": {
		columns:  "name,k,n",
		input:    "name,k,n\nNAME,1,1\nNAME,2,2147483648\nNAME,3,3\nNAME,4,4\nNAME,5,5\nNAME,6,6\n",
		says:     "Failed to import 5 rows",
		cqlsh:    []string{`k=6 n=6`}, // the others were in its batch
		want:     []string{`k=1 n=1`, `k=3 n=3`, `k=4 n=4`, `k=5 n=5`, `k=6 n=6`},
		rejected: 1,
	},
	"a field of more than 128 KiB": {
		columns: "name,k,a",
		input:   "name,k,a\nNAME,1,x\nNAME,2," + strings.Repeat("x", 131073) + "\nNAME,3,x\n",
		says:    "field larger than field limit (131072)",
		cqlsh:   nil,
		want:    []string{`k=1 a="x"`, `k=2 a=(131073 bytes)`, `k=3 a="x"`},
	},
	"a line end where COPY cuts the file": {
		columns: "name,k,a",
		input:   "name,k,a\nNAME,1,one\nNAME,2,\"x\ny\"\nNAME,3,three\n",
		options: "CHUNKSIZE = 2 AND ",
		says:    "Invalid row length 1 should be 3",
		cqlsh:   []string{`k=1 a="one"`, `k=2 a="x\n"`, `k=3 a="three"`},
		want:    []string{`k=1 a="one"`, `k=2 a="x\ny"`, `k=3 a="three"`},
	},
	"a duration": {
		columns: "name,k,du", input: "name,k,du\nNAME,1,1mo2d3h\n",
		says: "Received an argument of invalid type for column \"du\"", cqlsh: nil,
		want: []string{`k=1 du="1mo2d3h"`},
	},
	"a user type with an empty text and a quoted name": {
		columns: "name,k,ud",
		input:   "name,k,ud\nNAME,1,\"{street: '', \"\"Zip\"\": 5}\"\n",
		options: `ESCAPE = '"' AND `,
		cqlsh:   []string{`k=1 ud={"street":null,"Zip":null}`},
		want:    []string{`k=1 ud={"street":"","Zip":5}`},
	},
	"null in a tuple": {
		columns: "name,k,tp", input: "name,k,tp\nNAME,1,\"(1, null)\"\n",
		cqlsh: []string{`k=1 tp=[1,"null"]`},
		want:  []string{`k=1 tp=[1,null]`},
	},
	"a time in a map": {
		columns: "name,k,mt",
		input:   "name,k,mt\nNAME,1,{'x': 12:34:56.000000000}\n", // as COPY TO writes it
		says:    "can't interpret '12' as a time",
		cqlsh:   nil,
		want:    []string{`k=1 mt={"x":"12:34:56.000000000"}`},
		flags:   []string{"--dialect", "cqlsh"},
	},
	"a byte that is not UTF-8": {
		columns: "name,k,a", input: "name,k,a\nNAME,1,x\nNAME,2,\xff\nNAME,3,x\n",
		says: "UnicodeDecodeError", cqlsh: nil,
		want: []string{`k=1 a="x"`, `k=3 a="x"`}, rejected: 1,
	},
}

// caseRows scans a table of cases: the rows of each, with what is not null in them.
func caseRows(t *testing.T, name string) map[string][]string {
	t.Helper()
	rows := make(map[string][]string)
	for line := range strings.Lines(ok(t, "scan", name, "--format", "json").out) {
		var fields map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(line), &fields))
		var key string
		require.NoError(t, json.Unmarshal(fields["name"], &key))
		row := "k=" + string(fields["k"])
		for _, column := range []string{"a", "b", "bl", "bo", "du", "mt", "n", "tp", "ts", "ud"} {
			switch value := string(fields[column]); {
			case value == "null":
			case len(value) > 1000:
				row += fmt.Sprintf(" %s=(%d bytes)", column, len(value)-len(`""`))
			default:
				row += " " + column + "=" + value
			}
		}
		rows[key] = append(rows[key], row)
	}
	for _, r := range rows {
		slices.Sort(r)
	}
	return rows
}

// TestWhatCqlshCannot loads each of the files with cqlsh and with cqlbulk.
func TestWhatCqlshCannot(t *testing.T) {
	lengthy(t)
	t.Parallel()
	exec(
		t,
		"DROP TABLE IF EXISTS it1.cases_cqlsh",
		"DROP TABLE IF EXISTS it1.cases_cqlbulk",
		"DROP TYPE IF EXISTS it1.cased",
		caseType,
	)
	table(t, "it1.cases_cqlsh", caseBody)
	table(t, "it1.cases_cqlbulk", caseBody)
	var copies strings.Builder
	paths := make(map[string]string)
	for name, c := range cqlshCases {
		paths[name] = file(t, "in.csv", strings.ReplaceAll(c.input, "NAME", name))
		options := c.options
		if !strings.Contains(options, "HEADER") {
			options += "HEADER = true AND "
		}
		fmt.Fprintf(
			&copies,
			"COPY it1.cases_cqlsh (%s) FROM '%s' WITH %s%s;\n",
			c.columns,
			paths[name],
			options,
			smallBatches,
		)
	}
	said := cqlsh(t, copies.String())
	theirs := caseRows(t, "it1.cases_cqlsh")
	loads := make(map[string]result)
	for name, c := range cqlshCases {
		dir := t.TempDir() + "/run"
		loads[name] = cqlbulk(
			t,
			append(
				[]string{"load", "it1.cases_cqlbulk", paths[name], "--run-dir", dir},
				c.flags...)...)
	}
	ours := caseRows(t, "it1.cases_cqlbulk")
	for name, c := range cqlshCases {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, said, c.says)
			require.Equal(t, c.cqlsh, theirs[name], "cqlsh; of all it said: %s", said)
			r := loads[name]
			require.Equal(t, c.want, ours[name], r.report)
			require.Contains(t, r.report, fmt.Sprintf(" %d rejected", c.rejected))
			require.Equal(t, c.rejected > 0, r.code == 2, r.report)
		})
	}
	require.Equal(t, []string{`k=1 a="x"`}, theirs["\ufeffa byte order mark"])
}
