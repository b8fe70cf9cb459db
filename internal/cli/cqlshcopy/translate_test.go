package cqlshcopy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/copystmt"
)

// translated returns the command that a statement becomes, and the notes.
func translated(t *testing.T, statement string) (string, []string, error) {
	t.Helper()
	s, err := copystmt.Parse(statement)
	require.NoError(t, err)
	tr, err := Translate(s, "demo", "tombstone")
	if err != nil {
		return "", nil, err
	}
	return tr.CommandLine(nil), tr.Notes, nil
}

// The command line of COPY FROM t begins and continues with these.
const (
	plainLoad = "cqlbulk load demo.t f --format=csv --dialect=cqlsh --header=false --column-order=cqlsh --nulls=tombstone"
	plainScan = "cqlbulk scan demo.t --output=f --format=csv --dialect=cqlsh --header=false --column-order=cqlsh"
)

func TestTranslateFrom(t *testing.T) {
	t.Setenv("HOME", "/home/joe")
	for _, tc := range []struct {
		rest  string // of COPY t FROM 'f' WITH
		more  string // behind the flags of every load
		notes []string
	}{
		{"HEADER = false AND ESCAPE = '^' AND QUOTE = '''' AND DELIMITER = '\t'", ` '--escape=^' '--quote='\''' '--delimiter=	'`, nil},
		{"ESCAPE = '\"'", ` '--escape="'`, nil},
		{"NULL = 'N/A'", " --null-string=N/A", nil},
		{"NULL = 'a,\"b\"'", ` '--null-string="a,""b"""'`, nil},
		{"NULL = ''", "", nil},
		{"NULL = null AND DATETIMEFORMAT = '%d/%m' AND BOOLSTYLE = '1,0' AND DECIMALSEP = ',' AND THOUSANDSSEP = '.'",
			" --null-string=null --datetimeformat=%d/%m --boolstyle=1,0 --decimalsep=, --thousandssep=.", nil},
		{"DATETIMEFORMAT = '' AND DECIMALSEP = '' AND THOUSANDSSEP = ''", "", nil},
		{"SKIPCOLS = ' a, B c ,, \"d'", ` '--skipcols=a,B c,"""d"'`, nil},
		{"SKIPCOLS = ' '", "", nil},
		{"SKIPROWS = 2", " --skiprows=2", nil},
		{"SKIPROWS = -2 AND MAXROWS = -1", "", nil},
		{"SKIPROWS = -2 AND MAXROWS = 1", " --maxrows=1", nil},
		{"MAXROWS = 5 AND SKIPROWS = 2", " --maxrows=3 --skiprows=2", nil},
		{"TTL = 60", " --ttl=60", nil},
		{"TTL = -1", "", nil},
		{"TTL = 0", "", []string{"TTL = '0' is not done: rows expire as the table says, if it does"}},
		{"INGESTRATE = 500 AND MINBATCHSIZE = 0 AND MAXBATCHSIZE = 20 AND MAXATTEMPTS = 0", " --ingestrate=500 --minbatchsize=1 --maxbatchsize=20 --maxattempts=1", nil},
		{"MAXPARSEERRORS = -5 AND MAXINSERTERRORS = ' 7 '", " --maxparseerrors=-1 --maxinserterrors=7", nil},
		{"REQUESTTIMEOUT = 90", " --timeout=90s", nil},
		{"RATEFILE = '' AND CONFIGFILE = '' AND PREPAREDSTATEMENTS = True", "", nil},
		{"REPORTFREQUENCY = 90", " --progress=1m30s", nil},
		{"REPORTFREQUENCY = ' 1.5 '", " --progress=1.5s", nil},
		{"REPORTFREQUENCY = inf", " --progress=277777h46m40s", nil},
		{"REPORTFREQUENCY = 0.25", " --progress=1s", []string{
			"REPORTFREQUENCY = '0.25': lines of progress come once a second",
		}},
		{"REPORTFREQUENCY = -1", " --progress=1s", []string{
			"REPORTFREQUENCY = '-1': lines of progress come once a second",
		}},
		{"CHUNKSIZE = 5 AND NUMPROCESSES = 2" +
			" AND CONFIGFILE = 'c' AND PREPAREDSTATEMENTS = no", "", []string{
			"CHUNKSIZE = '5' is not done: an input is cut into pieces as memory and processors allow",
			"NUMPROCESSES = '2' is not done: " + insteadProcesses,
			"PREPAREDSTATEMENTS = 'no' is not done: statements are always prepared, and values read before they are sent",
		}},
		{"MAXINFLIGHTMESSAGES = 8 AND NUMPROCESSES = 4", " --inflight=32", nil},
		{"NUMPROCESSES = 0 AND MAXINFLIGHTMESSAGES = 8", " --inflight=8", nil},
		{"MAXINFLIGHTMESSAGES = 8", fmt.Sprint(" --inflight=", 8*defaultProcesses()), nil},
		{"MAXBACKOFFATTEMPTS = 1 AND MAXPENDINGCHUNKS = 1 AND CHILDTIMEOUT = 1", "", []string{
			"MAXBACKOFFATTEMPTS = '1' is not done: " + insteadInFlight,
			"MAXPENDINGCHUNKS = '1' is not done: " + insteadInFlight, "CHILDTIMEOUT = '1' is not done: there are no child processes",
		}},
		{"PAGESIZE = x AND ENCODING = latin1 AND FLOATPRECISION = 3", "", []string{
			"PAGESIZE = 'x' is passed over, as cqlsh does: it has no meaning for COPY FROM",
			"ENCODING = 'latin1' is passed over, as cqlsh does: it has no meaning for COPY FROM",
			"FLOATPRECISION = '3' is passed over, as cqlsh does: it has no meaning for COPY FROM",
		}},
		{"TTL = x AND TTL = 5", " --ttl=5", []string{"TTL = 'x' is given again: the last one counts"}},
		{"HEADER = yes", "", []string{"HEADER = 'yes' is taken for false, as cqlsh does"}},
	} {
		line, notes, err := translated(t, "COPY t FROM 'f' WITH "+tc.rest)
		require.NoError(t, err, tc.rest)
		require.Equal(t, plainLoad+tc.more, line, tc.rest)
		require.Equal(t, tc.notes, notes, tc.rest)
	}

	// Tables, columns and files.
	for _, tc := range []struct{ statement, want string }{
		{"COPY ks.t FROM 'f' WITH header = TRUE", "cqlbulk load ks.t f --format=csv --dialect=cqlsh --header=true --column-order=cqlsh --nulls=tombstone"},
		{`COPY "Ks"."T.u" (a, "B c", "d,e") FROM 'f'`, `cqlbulk load '"Ks"."T.u"' f --format=csv --dialect=cqlsh --header=false '--columns=a,B c,"d,e"' --nulls=tombstone`},
		{"COPY t FROM ' a.csv ,b*.csv', '~/c', '-d', '-', '@l.txt'", strings.Replace(plainLoad, " f ", " a.csv 'b*.csv' /home/joe/c ./-d ./- ./@l.txt ", 1)},
		{"COPY t FROM STDIN", strings.Replace(plainLoad, " f ", " - ", 1)},
	} {
		line, notes, err := translated(t, tc.statement)
		require.NoError(t, err, tc.statement)
		require.Equal(t, tc.want, line)
		require.Empty(t, notes)
	}
}

func TestTranslateFromStandardInput(t *testing.T) {
	_, notes, err := translated(
		t,
		"COPY t FROM STDIN WITH HEADER = true AND SKIPROWS = 1 AND MAXROWS = 5",
	)
	require.NoError(t, err)
	require.Equal(t, []string{
		"SKIPROWS: all of these rows of STDIN are passed over, where cqlsh passes over one fewer",
		"MAXROWS: the header of STDIN is none of these rows, where cqlsh counts it",
	}, notes)
	_, notes, err = translated(t, "COPY t FROM STDIN WITH SKIPROWS = 0 AND MAXROWS = 5")
	require.NoError(t, err)
	require.Empty(t, notes)
}

// What copy does besides the command is noted where the command is shown.
func TestTranslateFiles(t *testing.T) {
	t.Setenv("HOME", "/home/joe")
	for _, tc := range []struct{ options, file, note string }{
		{"RATEFILE = '~/r' AND REPORTFREQUENCY = 2", "/home/joe/r 2s",
			"RATEFILE = '~/r': copy writes that file; load does not"},
		{"RATEFILE = 'r'", "r 250ms", "RATEFILE = 'r': copy writes that file; load does not"},
		{"RATEFILE = ''", "", ""},
		{"ERRFILE = '~/e'", "/home/joe/e",
			"ERRFILE = '~/e': copy writes that file; load keeps rejected rows in its run directory alone"},
		{"ERRFILE = '-'", "./-",
			"ERRFILE = '-': copy writes that file; load keeps rejected rows in its run directory alone"},
		{"ERRFILE = ''", "", ""},
	} {
		s, err := copystmt.Parse("COPY t FROM 'f' WITH " + tc.options)
		require.NoError(t, err)
		tr, err := Translate(s, "demo", "tombstone")
		require.NoError(t, err)
		require.Contains(t, tr.CommandLine(nil), plainLoad)
		file := tr.ErrFile
		if tr.RateFile != "" {
			file = tr.RateFile + " " + tr.RateEvery.String()
		}
		require.Equal(t, tc.file, file)
		require.Equal(t, tc.note, strings.Join(tr.CopyAlone, "\n"))
		require.Empty(t, tr.Notes)
	}
}

func TestTranslateTo(t *testing.T) {
	for _, tc := range []struct {
		statement, want string
		notes           []string
	}{
		{"COPY t TO 'f'", plainScan, nil},
		{`COPY t ("A", b) TO STDOUT WITH HEADER = true`, "cqlbulk scan demo.t --format=csv --dialect=cqlsh --header=true --columns=A,b", nil},
		{"COPY t TO 'f' WITH DELIMITER = '|' AND QUOTE = '^' AND NULL = 'a,b'",
			plainScan + " '--delimiter=|' '--quote=^' --null-string=a,b", nil},
		{"COPY t TO 'f' WITH BEGINTOKEN = -5 AND ENDTOKEN = '0' AND PAGESIZE = 500 AND PAGETIMEOUT = 20 AND MAXATTEMPTS = 3 AND MAXOUTPUTSIZE = -1",
			plainScan + " --begintoken=-5 --endtoken=0 --pagesize=500 --timeout=20s --maxattempts=3", nil},
		{"COPY t TO 'f' WITH BEGINTOKEN = '' AND ESCAPE = '\"' AND BOOLSTYLE = 'True, False' AND DECIMALSEP = '.' AND THOUSANDSSEP = '' AND ENCODING = 'UTF-8' AND RATEFILE = ''",
			plainScan + ` '--escape="' '--boolstyle=True, False' --decimalsep=.`, nil},
		{"COPY t TO 'f' WITH ESCAPE = '\\' AND BOOLSTYLE = '1,0' AND DATETIMEFORMAT = '%Y' AND DECIMALSEP = ',' AND THOUSANDSSEP = '.' AND FLOATPRECISION = 9 AND DOUBLEPRECISION = 0",
			plainScan + ` '--escape=\' --boolstyle=1,0 --datetimeformat=%Y --decimalsep=, --thousandssep=. --floatprecision=9 --doubleprecision=1`, nil},
		{"COPY t TO 'f' WITH MAXREQUESTS = 3 AND NUMPROCESSES = 4", plainScan + " --parallel=12", nil},
		{"COPY t TO 'f' WITH NUMPROCESSES = 4", plainScan + " --parallel=24", nil},
		{"COPY t TO 'f' WITH MAXREQUESTS = 99999999999 AND NUMPROCESSES = 99999999999", plainScan + " --parallel=2147483647", nil},
		{"COPY t TO 'f' WITH MAXREQUESTS = -3", plainScan + fmt.Sprint(" --parallel=", defaultProcesses()), nil},
		{"COPY t TO 'it''s' WITH MAXOUTPUTSIZE = 10",
			strings.Replace(plainScan, "--output=f", `'--output=it'\''s'`, 1) + " --maxoutputsize=10", nil},
		{"COPY t TO STDOUT WITH MAXOUTPUTSIZE = 5 AND ENCODING = latin1 AND TTL = 5",
			strings.Replace(plainScan, " --output=f", "", 1), []string{
				"MAXOUTPUTSIZE = '5' is passed over, as cqlsh does: there is no second standard output",
				"ENCODING = 'latin1' is not done: text is written in UTF-8, as by cqlsh",
				"TTL = '5' is passed over, as cqlsh does: it has no meaning for COPY TO",
			}},
	} {
		line, notes, err := translated(t, tc.statement)
		require.NoError(t, err, tc.statement)
		require.Equal(t, tc.want, line)
		require.Equal(t, tc.notes, notes)
	}
}

// Python's names of UTF-8 and ASCII need no note.
func TestTranslateEncoding(t *testing.T) {
	for name, known := range map[string]bool{
		"UTF8": true, "utf 8": true, "Utf-8": true, "U8": true, "ascii": true, "US-ASCII": true,
		"utf_8_sig": false, "utf16": false, "": false,
	} {
		_, notes, err := translated(t, "COPY t TO 'f' WITH ENCODING = '"+name+"'")
		require.NoError(t, err)
		require.Equal(t, !known, strings.Contains(strings.Join(notes, "\n"), "ENCODING"), name)
	}
}

func TestTranslateRefused(t *testing.T) {
	for _, tc := range []struct{ statement, want string }{
		{"COPY t FROM 'f' WITH HAEDER = true", `the statement: line 1, column 22: HAEDER = 'true': COPY has no such option; did you mean "HEADER"?`},
		{"COPY t TO 'f' WITH xyzzy = 'it''s'", `the statement: line 1, column 20: XYZZY = 'it''s': COPY has no such option`},
		{"COPY t FROM 'f'\nWITH TTL = soon", `the statement: line 2, column 6: TTL = 'soon': must be a whole number`},
		{"COPY t FROM 'f' WITH MAXROWS = 1.5", `the statement: line 1, column 22: MAXROWS = '1.5': must be a whole number`},
		{"COPY t FROM 'f' WITH SKIPROWS = x", `the statement: line 1, column 22: SKIPROWS = 'x': must be a whole number`},
		{"COPY t FROM 'f' WITH MAXROWS = 1 AND SKIPROWS = x", `the statement: line 1, column 22: MAXROWS = '1': SKIPROWS must be a whole number`},
		{"COPY t FROM 'f' WITH MAXROWS = 0", `the statement: line 1, column 22: MAXROWS = '0': no row would be loaded: SKIPROWS passes over 0, which count among them`},
		{"COPY t FROM 'f' WITH MAXROWS = 3 AND SKIPROWS = 3", `the statement: line 1, column 22: MAXROWS = '3': no row would be loaded: SKIPROWS passes over 3, which count among them`},
		{"COPY t FROM 'f' WITH ESCAPE = ''", `the statement: line 1, column 22: ESCAPE = '': must be one character; the one of QUOTE is for files that double their quotes and escape nothing`},
		{"COPY t FROM 'a,,b'", "the statement: the name of a file is empty"},
		{"COPY t TO ''", "the statement: the name of a file is empty"},
		{"COPY t TO 'f' WITH PAGESIZE = many", `the statement: line 1, column 20: PAGESIZE = 'many': must be a whole number`},
		{"COPY t TO 'f' WITH PAGETIMEOUT = 1.5", `the statement: line 1, column 20: PAGETIMEOUT = '1.5': must be a whole number`},
		{"COPY t TO 'f' WITH REPORTFREQUENCY = often", `the statement: line 1, column 20: REPORTFREQUENCY = 'often': must be a number of seconds`},
		{"COPY t FROM 'f' WITH REPORTFREQUENCY = nan", `the statement: line 1, column 22: REPORTFREQUENCY = 'nan': must be a number of seconds`},
		{"COPY t TO 'f' WITH MAXREQUESTS = 3 AND NUMPROCESSES = two", `the statement: line 1, column 40: NUMPROCESSES = 'two': must be a whole number`},
		{"COPY t FROM 'f' WITH NUMPROCESSES = two", `the statement: line 1, column 22: NUMPROCESSES = 'two': must be a whole number`},
		{"COPY t TO 'f' WITH MAXOUTPUTSIZE = many", `the statement: line 1, column 20: MAXOUTPUTSIZE = 'many': must be a whole number`},
	} {
		_, _, err := translated(t, tc.statement)
		require.EqualError(t, err, tc.want)
	}
	for keyspace, want := range map[string]string{"": "no keyspace given: say COPY keyspace.t, or use --keyspace", "a.b": `keyspace "a.b" is not a name`} {
		_, err := Translate(
			&copystmt.Statement{Table: "t", Files: []string{"f"}},
			keyspace,
			"",
		)
		require.EqualError(t, err, want)
	}
}

// Every flag that a rule sets is a setting of the command.
func TestRulesSetSettings(t *testing.T) {
	directions := map[copystmt.Direction]map[string]rule{
		copystmt.From: fromRules, copystmt.To: toRules,
	}
	for direction, rules := range directions {
		for name := range rules {
			s := &copystmt.Statement{
				Keyspace:  "ks",
				Table:     "t",
				Direction: direction,
				Files:     []string{"f"},
				Options:   []copystmt.Option{{Name: name, Value: "-1"}},
			}
			tr, err := Translate(s, "", "unset")
			require.NoError(t, err, name)
			settings := spec.NewLoad().Settings()
			if direction == copystmt.To {
				settings = spec.NewScan().Settings()
			}
			for _, set := range tr.Settings {
				require.NoError(t, settings.Set(set.Flag, set.Values...), name)
			}
		}
	}
}
