package copystmt

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// options returns the options for pairs of names and values.
func options(pairs ...string) []Option {
	var list []Option
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, Option{Name: pairs[i], Value: pairs[i+1]})
	}
	return list
}

// with returns a statement with options.
func with(pairs ...string) Statement {
	return Statement{Table: "t", Files: []string{"f"}, Options: options(pairs...)}
}

// good are statements with their parts.
var good = []struct {
	text string
	want Statement
	ours bool // cqlsh parses it differently
}{
	{text: "COPY t FROM 'f'", want: Statement{Table: "t", Files: []string{"f"}}},
	{
		text: "copy KS.T to 'f';",
		want: Statement{Keyspace: "ks", Table: "t", Direction: To, Files: []string{"f"}},
	},
	{text: "CoPy ks . t FrOm StDiN", want: Statement{Keyspace: "ks", Table: "t", Standard: true}},
	{text: "COPY t TO STDOUT;", want: Statement{Table: "t", Direction: To, Standard: true}},
	{
		text: `COPY "Ks"."T ""x"".y" FROM 'f'`,
		want: Statement{Keyspace: "Ks", Table: `T "x".y`, Files: []string{"f"}},
	},
	{text: `COPY "select" (a, B, "B", "from", "x,y", """)x") FROM 'f'`,
		want: Statement{
			Table:   "select",
			Columns: []string{"a", "b", "B", "from", "x,y", `")x`},
			Files:   []string{"f"},
		}},
	{text: `COPY t(a,B,"B","from","x,y")FROM'f'WITH x='1'AND y=2`,
		want: Statement{
			Table:   "t",
			Columns: []string{"a", "b", "B", "from", "x,y"},
			Files:   []string{"f"},
			Options: options("x", "1", "y", "2"),
		}},
	{
		text: "COPY copy (copy, stdin, ttl, key, true) FROM 'f'",
		want: Statement{
			Table:   "copy",
			Columns: []string{"copy", "stdin", "ttl", "key", "true"},
			Files:   []string{"f"},
		},
	},
	{text: "COPY stdin FROM STDIN", want: Statement{Table: "stdin", Standard: true}},
	{
		text: "COPY a_1.b_2 FROM 'f'",
		want: Statement{Keyspace: "a_1", Table: "b_2", Files: []string{"f"}},
	},

	// Texts.
	{text: "COPY t FROM ''", want: Statement{Table: "t", Files: []string{""}}},
	{
		text: "COPY t FROM 'it''s, ''''; -- /* \"\\'",
		want: Statement{Table: "t", Files: []string{`it's, ''; -- /* "\`}},
	},
	{
		text: "COPY t FROM '\n\t\x00é日\u2028'",
		want: Statement{Table: "t", Files: []string{"\n\t\x00é日\u2028"}},
	},
	{
		text: "COPY t FROM $$it's$ here\n$$",
		want: Statement{Table: "t", Files: []string{"it's$ here\n"}},
	},
	{text: "COPY t FROM $$$$", want: Statement{Table: "t", Files: []string{""}}},
	{text: "COPY t FROM 'a, b*.csv'", want: Statement{Table: "t", Files: []string{"a, b*.csv"}}},
	{
		text: "COPY t FROM 'a', 'b, c' , $$d$$",
		want: Statement{Table: "t", Files: []string{"a", "b, c", "d"}},
		ours: true,
	},

	// Options.
	{
		text: "COPY t FROM 'f' WITH Header = TRUE AND null=null and NULL = 'N''A'",
		want: with("header", "TRUE", "null", "null", "null", "N'A"),
	},
	{
		text: "COPY t FROM 'f' WITH to=to AND from=from AND and=and AND with=with",
		want: with("to", "to", "from", "from", "and", "and", "with", "with"),
	},
	{
		text: "COPY t FROM 'f' WITH a=12 AND b=-12 AND c=- \n12 AND d=1.50 AND e=-1.50",
		want: with("a", "12", "b", "-12", "c", "- \n12", "d", "1.50", "e", "-1.50"),
	},
	{
		text: "COPY t FROM 'f' WITH a=0xCAFE AND b=0X0 AND c=550E8400-e29b-41d4-a716-446655440000 AND d=abcdef00-e29b-41d4-a716-446655440000",
		want: with(
			"a",
			"0xCAFE",
			"b",
			"0X0",
			"c",
			"550E8400-e29b-41d4-a716-446655440000",
			"d",
			"abcdef00-e29b-41d4-a716-446655440000",
		),
	},
	{text: "COPY t FROM 'f' WITH a=1and b=2AND c=3", want: with("a", "1", "b", "2", "c", "3")},
	{
		text: "COPY t FROM 'f' WITH a=' x ' AND b=$$ y $$ AND c=true AND d=False",
		want: with("a", " x ", "b", " y ", "c", "true", "d", "False"),
	},
	{
		text: "COPY t FROM 'f' WITH a=select AND select=a AND b=token AND c=keys AND d=stdin",
		want: with("a", "select", "select", "a", "b", "token", "c", "keys", "d", "stdin"),
	},
	{
		text: "COPY t FROM 'f' WITH a=[] AND b={} AND c=[1, 'x''y', {2}] AND d={'a':1,'b': [null, TRUE]}",
		want: with("a", "[]", "b", "{}", "c", "[1, 'x''y', {2}]", "d", "{'a':1,'b': [null, TRUE]}"),
	},
	{
		text: "COPY t FROM 'f' WITH a={1, /* one */ -2} AND b=[$$x$$, f(1), ks.g(), token(1, 'a'), -1.5, --c\n 0xaf, false]",
		want: with(
			"a",
			"{1, /* one */ -2}",
			"b",
			"[$$x$$, f(1), ks.g(), token(1, 'a'), -1.5, --c\n 0xaf, false]",
		),
	},
	{text: "COPY t FROM 'f' WITH a=now() AND b=Ks.fn ( 'x', [1] ) AND c=TOKEN(1) AND d=true(1)",
		want: with("a", "now()", "b", "Ks.fn ( 'x', [1] )", "c", "TOKEN(1)", "d", "true(1)")},
	{text: "COPY t FROM 'f' WITH a=" + strings.Repeat("[", 99) + "1" + strings.Repeat("]", 99),
		want: with("a", strings.Repeat("[", 99)+"1"+strings.Repeat("]", 99)), ours: true},

	// Blanks and comments.
	{
		text: " \t\r\n\f\vCOPY\nt\r\nFROM\t'f'\v;\n\n",
		want: Statement{Table: "t", Files: []string{"f"}},
		ours: true,
	},
	{
		text: "-- a\nCOPY /* b; */ t // 'c\rFROM /**/ 'f' --WITH a=1",
		want: Statement{Table: "t", Files: []string{"f"}},
		ours: true,
	},
	{
		text: "-- a\nCOPY /* b; */ t // 'c\rFROM /**/ 'f'",
		want: Statement{Table: "t", Files: []string{"f"}},
	},
	{
		text: "COPY t FROM 'f'; -- done",
		want: Statement{Table: "t", Files: []string{"f"}},
		ours: true,
	},
	{
		text: "COPY t FROM 'f' WITH a=1/* c */AND b=2--c\n",
		want: with("a", "1", "b", "2"),
		ours: true,
	},
	{
		text: "COPY/**/t/**/./**/u/**/FROM/**/'f'",
		want: Statement{Keyspace: "t", Table: "u", Files: []string{"f"}},
	},
}

// positionless returns a statement without the positions of its options.
func positionless(s *Statement) Statement {
	bare := *s
	bare.Options = nil
	for _, o := range s.Options {
		bare.Options = append(bare.Options, Option{Name: o.Name, Value: o.Value})
	}
	return bare
}

func TestParse(t *testing.T) {
	for _, tc := range good {
		t.Run(tc.text, func(t *testing.T) {
			s, err := Parse(tc.text)
			require.NoError(t, err)
			require.Equal(t, tc.want, positionless(s))
			reparsed, err := Parse(s.String())
			require.NoError(t, err, s.String())
			require.Equal(t, tc.want, positionless(reparsed), s.String())
			require.Equal(t, s.String(), reparsed.String())
		})
	}
}

// refused are texts that are not statements, with their errors.
var refused = []struct {
	text, err string
	ours      bool // cqlsh accepts it
}{
	{text: "", err: "line 1, column 1: found the end, expected COPY"},
	{text: "SELECT 1;", err: `line 1, column 1: found "SELECT", expected COPY`},
	{text: "COPYT FROM 'f';", err: `line 1, column 1: found "COPYT", expected COPY`},
	{text: `"copy" t FROM 'f';`, err: `line 1, column 1: found "\"copy\"", expected COPY`},
	{text: "COPY", err: "line 1, column 5: found the end, expected the name of a table"},
	{
		text: "COPY 't' FROM 'f';",
		err:  `line 1, column 6: found "'t'", expected the name of a table`,
	},
	{text: "COPY 1a FROM 'f';", err: `line 1, column 6: found "1", expected the name of a table`},
	{text: "COPY _a FROM 'f';", err: `line 1, column 6: found "_", expected the name of a table`},
	{text: "COPY é FROM 'f';", err: `line 1, column 6: found "é", expected the name of a table`},
	{
		text: "COPY\u00a0t FROM 'f';",
		err:  `line 1, column 5: found "\u00a0", expected the name of a table`,
	},
	{
		text: "COPY \xff FROM 'f'",
		err:  `line 1, column 6: found "\xff", expected the name of a table`,
		ours: true,
	},
	{
		text: "COPY select FROM 'f';",
		err:  `line 1, column 6: found "select", expected the name of a table; a reserved word needs double quotes`,
	},
	{
		text: "COPY ks.To FROM 'f';",
		err:  `line 1, column 9: found "To", expected the name of a table; a reserved word needs double quotes`,
	},
	{
		text: `COPY "" FROM 'f';`,
		err:  `line 1, column 6: found "\"\"", expected the name of a table`,
		ours: true,
	},
	{
		text: "COPY ks. FROM 'f';",
		err:  `line 1, column 10: found "FROM", expected the name of a table; a reserved word needs double quotes`,
	},
	{text: "COPY a.b.c FROM 'f';", err: `line 1, column 9: found ".", expected "(", FROM or TO`},
	{text: "COPY t;", err: `line 1, column 7: found ";", expected ".", "(", FROM or TO`},
	{
		text: "COPY t () FROM 'f';",
		err:  `line 1, column 9: found ")", expected the name of a column`,
	},
	{
		text: "COPY t (a,) FROM 'f';",
		err:  `line 1, column 11: found ")", expected the name of a column`,
	},
	{
		text: "COPY t (token) FROM 'f';",
		err:  `line 1, column 9: found "token", expected the name of a column; a reserved word needs double quotes`,
	},
	{text: "COPY t (a b) FROM 'f';", err: `line 1, column 11: found "b", expected "," or ")"`},
	{text: "COPY t (a.b) FROM 'f';", err: `line 1, column 10: found ".", expected "," or ")"`},
	{text: "COPY t (a) 'f';", err: `line 1, column 12: found "'f'", expected FROM or TO`},
	{
		text: "COPY t FROM f;",
		err:  `line 1, column 13: found "f", expected the name of a file in single quotes or STDIN`,
	},
	{
		text: `COPY t FROM "f";`,
		err:  `line 1, column 13: found "\"f\"", expected the name of a file in single quotes or STDIN`,
	},
	{
		text: "COPY t FROM STDOUT;",
		err:  `line 1, column 13: found "STDOUT", expected the name of a file in single quotes or STDIN`,
	},
	{
		text: "COPY t TO STDIN;",
		err:  `line 1, column 11: found "STDIN", expected the name of a file in single quotes or STDOUT`,
	},
	{
		text: "COPY t TO 'f', 'g';",
		err:  `line 1, column 14: found ",", expected WITH, ";" or the end`,
	},
	{
		text: "COPY t FROM 'f', g;",
		err:  `line 1, column 18: found "g", expected the name of a file in single quotes`,
	},
	{
		text: "COPY t FROM STDIN, 'g';",
		err:  `line 1, column 18: found ",", expected WITH, ";" or the end`,
	},
	{
		text: "COPY t FROM 'f' HEADER = true;",
		err:  `line 1, column 17: found "HEADER", expected WITH, ";" or the end`,
	},
	{
		text: "COPY t FROM 'f' WITH;",
		err:  `line 1, column 21: found ";", expected the name of an option`,
	},
	{
		text: "COPY t FROM 'f' WITH 'a'=1;",
		err:  `line 1, column 22: found "'a'", expected the name of an option`,
	},
	{
		text: `COPY t FROM 'f' WITH "a"=1;`,
		err:  `line 1, column 22: found "\"a\"", expected the name of an option`,
	},
	{text: "COPY t FROM 'f' WITH a;", err: `line 1, column 23: found ";", expected "="`},
	{text: "COPY t FROM 'f' WITH a=;", err: `line 1, column 24: found ";", expected a value`},
	{
		text: `COPY t FROM 'f' WITH a="b";`,
		err:  `line 1, column 24: found "\"b\"", expected a value`,
	},
	{text: "COPY t FROM 'f' WITH a=,;", err: `line 1, column 24: found ",", expected a value`},
	{text: "COPY t FROM 'f' WITH a=-x;", err: `line 1, column 25: found "x", expected a number`},
	{
		text: "COPY t FROM 'f' WITH a=- 1.5;",
		err:  `line 1, column 26: found "1.5", expected a number`,
	},
	{
		text: "COPY t FROM 'f' WITH a=-0x12;",
		err:  `line 1, column 25: found "0x12", expected a number`,
	},
	{text: "COPY t FROM 'f' WITH a=.5;", err: `line 1, column 24: found ".", expected a value`},
	{
		text: "COPY t FROM 'f' WITH a=1e5;",
		err:  `line 1, column 25: found "e5", expected AND, ";" or the end`,
	},
	{
		text: "COPY t FROM 'f' WITH a=1.5.2;",
		err:  `line 1, column 27: found ".", expected AND, ";" or the end`,
	},
	{
		text: "COPY t FROM 'f' WITH a=0x;",
		err:  `line 1, column 25: found "x", expected AND, ";" or the end`,
	},
	{
		text: "COPY t FROM 'f' WITH a='x' 'y';",
		err:  `line 1, column 28: found "'y'", expected AND, ";" or the end`,
	},
	{
		text: "COPY t FROM 'f' WITH a=1 b=2;",
		err:  `line 1, column 26: found "b", expected AND, ";" or the end`,
	},
	{
		text: "COPY t FROM 'f' WITH a=1 AND;",
		err:  `line 1, column 29: found ";", expected the name of an option`,
	},
	{text: "COPY t FROM 'f' WITH a=b.c;", err: `line 1, column 27: found ";", expected "("`},
	{
		text: "COPY t FROM 'f' WITH a=b.select();",
		err:  `line 1, column 26: found "select", expected the name of a function`,
	},
	{text: "COPY t FROM 'f' WITH a=token.b();", err: `line 1, column 29: found ".", expected "("`},
	{
		text: "COPY t FROM 'f' WITH a=select();",
		err:  `line 1, column 30: found "(", expected AND, ";" or the end`,
	},
	{text: "COPY t FROM 'f' WITH a=f(1;", err: `line 1, column 27: found ";", expected "," or ")"`},
	{text: "COPY t FROM 'f' WITH a=[b];", err: `line 1, column 26: found "]", expected "("`},
	{text: "COPY t FROM 'f' WITH a=[true.b];", err: `line 1, column 31: found "]", expected "("`},
	{
		text: "COPY t FROM 'f' WITH a=[select];",
		err:  `line 1, column 25: found "select", expected a value`,
	},
	{text: "COPY t FROM 'f' WITH a=[1,];", err: `line 1, column 27: found "]", expected a value`},
	{text: "COPY t FROM 'f' WITH a=[1}", err: `line 1, column 26: found "}", expected "," or "]"`},
	{text: "COPY t FROM 'f' WITH a={1:2, 3};", err: `line 1, column 31: found "}", expected ":"`},
	{text: "COPY t FROM 'f' WITH a={1:};", err: `line 1, column 27: found "}", expected a value`},
	{
		text: "COPY t FROM 'f' WITH a={1, 2:3};",
		err:  `line 1, column 29: found ":", expected "," or "}"`,
	},
	{
		text: "COPY t FROM 'f' WITH a=" + strings.Repeat("[", 200),
		err:  `line 1, column 124: found "[", expected values that are nested no more than 100 deep`,
	},
	{
		text: "COPY t FROM 'f'; COPY u FROM 'g';",
		err:  `line 1, column 18: found "COPY", expected the end, as there is one statement at a time`,
	},
	{
		text: "COPY t FROM 'f';;",
		err:  `line 1, column 17: found ";", expected the end, as there is one statement at a time`,
	},
	{
		text: "COPY t FROM 'f",
		err:  `line 1, column 13: found "'f", which is never closed, expected "'" at its end`,
	},
	{
		text: "COPY t FROM 'f'';",
		err:  `line 1, column 13: found "'f'';", which is never closed, expected "'" at its end`,
	},
	{
		text: `COPY "t FROM 'f';`,
		err:  `line 1, column 6: found "\"t FROM 'f';", which is never closed, expected "\"" at its end`,
	},
	{
		text: "COPY t FROM $$f$;",
		err:  `line 1, column 13: found "$$f$;", which is never closed, expected "$$" at its end`,
	},
	{
		text: "COPY t FROM $f$;",
		err:  `line 1, column 13: found "$", expected the name of a file in single quotes or STDIN`,
	},
	{
		text: "COPY t FROM 'f' /* x;",
		err:  `line 1, column 17: found "/* x;", which is never closed, expected "*/" at its end`,
	},
	{
		text: "COPY t FROM 'f' /*/;",
		err:  `line 1, column 17: found "/*/;", which is never closed, expected "*/" at its end`,
	},
	{
		text: "COPY t -- x\n\n /* é\n */ FROM\n\té 'f';",
		err:  `line 5, column 2: found "é", expected the name of a file in single quotes or STDIN`,
	},
	{
		text: "COPY t FROM 'é日\xff' x;",
		err:  `line 1, column 19: found "x", expected WITH, ";" or the end`,
		ours: true,
	},
	{
		text: "COPY '" + strings.Repeat("é", 100),
		err:  `line 1, column 6: found "'ééééééééééééééééééé"..., which is never closed, expected "'" at its end`,
		ours: true,
	},
}

func TestRefused(t *testing.T) {
	for _, tc := range refused {
		t.Run(tc.text, func(t *testing.T) {
			s, err := Parse(tc.text)
			require.Nil(t, s)
			require.EqualError(t, err, tc.err)
		})
	}
}

func TestPositions(t *testing.T) {
	s, err := Parse("COPY t FROM 'é\n日' WITH -- é\n  a = 1 AND\n/* 日\n本 */ \"B\" = 2")
	require.Nil(t, s)
	require.EqualError(t, err, `line 5, column 6: found "\"B\"", expected the name of an option`)
	s, err = Parse("COPY t FROM 'é\n日' WITH -- é\n  a = 1 AND\n/* 日\n本 */ b = 2 AND a = 3")
	require.NoError(t, err)
	require.Equal(t, []Option{
		{Name: "a", Value: "1", At: Position{Offset: 34, Line: 3, Column: 3}},
		{Name: "b", Value: "2", At: Position{Offset: 58, Line: 5, Column: 6}},
		{Name: "a", Value: "3", At: Position{Offset: 68, Line: 5, Column: 16}},
	}, s.Options)
	last, ok := s.Option("a")
	require.True(t, ok)
	require.Equal(t, "3", last.Value, "the last one counts")
	_, ok = s.Option("A")
	require.False(t, ok)
}

// TestLong parses texts that would take hours if parts of them were read more than a few times.
func TestLong(t *testing.T) {
	const n = 1 << 17
	for _, text := range []string{
		"COPY t FROM 'f' WITH a=" + strings.Repeat("[", n),
		"COPY t FROM 'f' WITH a=[" + strings.Repeat("-1,", n) + "1]",
		"COPY t FROM 'f' WITH a=1" + strings.Repeat(" AND a=1", n),
		"COPY t FROM '" + strings.Repeat("''", n),
		"COPY t FROM 'f'" + strings.Repeat(",'f'", n),
		"COPY t FROM 'f' WITH a=" + strings.Repeat("0123456789abcdef", n),
		"COPY " + strings.Repeat("/*", n),
		"COPY " + strings.Repeat("/**/", n) + "t FROM 'f'",
		"COPY " + strings.Repeat("--\n", n) + "t FROM 'f'",
		"COPY " + strings.Repeat("$$", n+1),
		"COPY " + strings.Repeat("t", n) + " FROM 'f'",
		"COPY t (" + strings.Repeat(`"é",`, n) + "a) FROM 'f'",
	} {
		s, err := Parse(text)
		if err == nil {
			reparsed, err := Parse(s.String())
			require.NoError(t, err)
			require.Equal(t, len(s.String()), len(reparsed.String()))
		}
	}
}
