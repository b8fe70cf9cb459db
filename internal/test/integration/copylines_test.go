//go:build integration

package integration

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// copyCase is a file, or two, and the COPY FROM that reads it.
type copyCase struct {
	body    string // of the table; empty: two texts, a and b
	columns string // of COPY
	options string
	inputs  []string
	// rows are those that cqlsh makes, and ownRows those that copy makes; nil: the same
	rows, ownRows []string
	says, ownSays string // patterns of what cqlsh and copy say
	alone         string // why cqlsh is not asked
}

const textPair = "(a text, b text, PRIMARY KEY (a))"

// copyLines are by number the cases of whole lines and files. Those of output files and tokens, and
// of ERRFILE, are among the program's scripts, copy-files and copy-end.
var copyLines = map[string]copyCase{
	"L01 an escaped delimiter": {inputs: []string{"a\\,b,c\n"}, rows: []string{`"a,b",c`}},
	"L02 an escaped quote":     {inputs: []string{"\"a\\\"b\",c\n"}, rows: []string{`"a""b",c`}},
	"L03 a doubled quote": {
		inputs: []string{"\"a\"\"b\",c\n"},
		rows:   []string{`"a""b""",c`}, ownRows: []string{`"a""b",c`}, // as RFC 4180
	},
	"L04 a quote inside":       {inputs: []string{"a\"b,c\n"}, rows: []string{`"a""b",c`}},
	"L05 a quote behind blank": {inputs: []string{"a, \"b\"\n"}, rows: []string{`a," ""b"""`}},
	"L06 a backslash and n":    {inputs: []string{"a\\nb,c\n"}, rows: []string{`anb,c`}},
	"L07 two backslashes":      {inputs: []string{"a\\\\b,c\n"}, rows: []string{`a\b,c`}},
	"L08 an escaped null": {
		options: `NULL = '\N'`, inputs: []string{"\\N,x\n"}, rows: []string{`N,x`},
	},
	"L09 a null key": {
		inputs:  []string{",x\n"},
		says:    `Cannot insert null value for primary key column 'a'`,
		ownSays: `primary key column must not be null`,
	},
	"L10 a long row": {
		inputs: []string{"a,b,c\n"}, says: `Invalid row length 3 should be 2`,
		ownSays: `row has 3 fields instead of 2`,
	},
	"L11 a blank line": {
		inputs: []string{"a,b\n\nc,d\n"}, rows: []string{`a,b`, `c,d`},
		says: `Invalid row length 0 should be 2`,
	},
	"L12 an empty field": {inputs: []string{"a,\n"}, rows: []string{`a,`}},
	"L13 CRLF":           {inputs: []string{"1,\r\n2,\r\n"}, rows: []string{`1,`, `2,`}},
	"L14 a byte order mark": {
		body: "(a int PRIMARY KEY, b text)", inputs: []string{"\ufeff1,a\n"},
		ownSays: ` 0 rejected`, says: `Failed to parse`, rows: nil, ownRows: []string{`1,a`},
	},
	"L15 headers of two files": {
		options: "HEADER = true", inputs: []string{"h,i\n1,x\n", "h,i\n2,y\n"},
		rows: []string{`1,x`, `2,y`},
	},
	"L16 SKIPROWS": {
		options: "SKIPROWS = 2", inputs: []string{"1,\n2,\n3,\n4,\n5,\n"},
		rows: []string{`3,`, `4,`, `5,`},
	},
	"L17 MAXROWS counts those of SKIPROWS": {
		options: "SKIPROWS = 2 AND MAXROWS = 3", inputs: []string{"1,\n2,\n3,\n4,\n5,\n"},
		rows: []string{`3,`},
	},
	"L18 HEADER and SKIPROWS and MAXROWS": {
		options: "HEADER = true AND SKIPROWS = 1 AND MAXROWS = 2",
		inputs:  []string{"h,h\n1,\n2,\n3,\n4,\n5,\n"}, rows: []string{`2,`},
	},
	"L19 MAXROWS of 0": {options: "MAXROWS = 0", inputs: []string{"1,\n2,\n"}},
	"L20 a line end in quotes": {
		inputs: []string{"1,\"x\ny\"\n2,c\n"}, ownRows: []string{"1,\"x", "y\"", `2,c`},
		alone: "it waits 90 s for a row that it has counted twice",
	},
	"L21 SKIPCOLS": {
		body: "(a int PRIMARY KEY, b int, c int, d int, e int)", columns: "(a, b, c, d, e)",
		options: "SKIPCOLS = 'c, d ,e'", inputs: []string{"1,2,3,4,5\n"}, rows: []string{`1,2,,,`},
	},
	"L22 SKIPCOLS of the key": {
		options: "SKIPCOLS = 'a'", inputs: []string{"1,2\n"}, says: `Primary key column 'a' missing or skipped`,
		ownSays: `primary key column "a"`,
	},
	"L23 a column that is not there": {
		columns: "(a, nope)", inputs: []string{"1,2\n"}, says: `Invalid column name nope`,
		ownSays: `has no column "?nope`,
	},
	"L24 one word for both": {
		options: "BOOLSTYLE = '1,1'", inputs: []string{"1,2\n"}, says: `Invalid boolean styles`,
		ownSays: `--boolstyle "1,1": must be two different words`,
	},
	"L25 an unknown option": {
		options: "FOO = 1", inputs: []string{"1,2\n"}, says: `Unrecognized COPY FROM options: foo`,
		ownSays: `(?i)foo`,
	},
	"L32 counters": {
		body: "(a text PRIMARY KEY, b counter)", inputs: []string{"k,5\n", "k,5\nl,\n"},
		rows: []string{`k,10`, `l,0`}, ownRows: []string{`k,10`}, // null adds nothing, and makes no row
	},
	"L34 thousands": {
		body:    "(a text PRIMARY KEY, i int, f float, d double)",
		columns: "(a, i, f, d)", options: "THOUSANDSSEP = ','",
		inputs: []string{"x,\"1,000,000,005\",\"1,234.56006\",\"123,456,789.560000002384\"\n"},
		rows:   []string{`x,123456789.56,1234.56,1000000005`},
	},
	"L35 an empty element": {
		body: "(a int PRIMARY KEY, b list<int>)", inputs: []string{"1,\"[1,,3]\"\n2,\"[1,3]\"\n"},
		rows: []string{`2,"[1, 3]"`}, says: `Failed to parse \[1,,3\] : Empty values are not allowed`,
		ownSays: `1 rejected`,
	},
	"L36 no sets": {
		body:   "(a int PRIMARY KEY, b set<text>)",
		inputs: []string{"1,\"{'test1', 'test2']\"\n2,not_a_set\n3,'not_a_set'\n4,{'x'}\n"},
		rows:   []string{`4,{'x'}`}, says: `Failed to parse`, ownSays: `3 rejected`,
	},
	"L37 empty texts in the key": {
		body: "(a text, b text, c text, d text, o uuid, e bigint, f bigint, g bigint, h text, " +
			"PRIMARY KEY ((a, b, c, d), o))",
		columns: "(a, b, c, d, o, e, f, g, h)", options: "NULL = '-'",
		inputs: []string{",,,a1,645e7d3c-aef7-4e3c-b834-24b792cf2e55,-,-,-,r1\n"},
		rows:   []string{`"","","",a1,645e7d3c-aef7-4e3c-b834-24b792cf2e55,,,,r1`},
	},
}

// TestCopyLines gives each file to cqlsh and to copy. They make the same rows, or what copy makes
// is named.
func TestCopyLines(t *testing.T) {
	lengthy(t)
	t.Parallel()
	statement := func(t *testing.T, c copyCase, table string) string {
		var files []string
		for _, input := range c.inputs {
			files = append(files, file(t, "in.csv", input))
		}
		options := smallBatches
		if c.options != "" {
			options = c.options + " AND " + options
		}
		return fmt.Sprintf("COPY it1.%s %s FROM '%s' WITH %s;", table, c.columns, strings.Join(files, ","), options)
	}
	rows := func(t *testing.T, name string) []string {
		_, out, _ := strings.Cut(ok(t, "scan", "it1."+name, "-q").out, "\n")
		if out == "" {
			return nil
		}
		return sortedLines(t, out)
	}
	for name, c := range copyLines {
		t.Run(name, func(t *testing.T) {
			number, _, _ := strings.Cut(strings.ToLower(name), " ")
			body := c.body
			if body == "" {
				body = textPair
			}
			if c.columns == "" {
				c.columns = "(a, b)"
			}
			theirs, ours := "theirs_"+number, "ours_"+number
			if c.alone == "" {
				table(t, "it1."+theirs, body)
				said := cqlsh(t, statement(t, c, theirs))
				require.Regexp(t, regexp.MustCompile(c.says), said)
				require.ElementsMatch(t, c.rows, rows(t, theirs), said)
			}
			want := c.rows
			if c.ownRows != nil {
				want = c.ownRows
			}
			table(t, "it1."+ours, body)
			r := cqlbulk(t, "copy", strings.TrimSuffix(statement(t, c, ours), ";"), "--run-dir", t.TempDir()+"/run")
			require.Regexp(t, regexp.MustCompile(c.ownSays), r.report)
			require.ElementsMatch(t, want, rows(t, ours), r.report)
		})
	}
}
