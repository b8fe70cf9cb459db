package selectstmt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/selectstmt"
)

func TestParse(t *testing.T) {
	item := func(text string) selectstmt.Item { return selectstmt.Item{Text: text} }
	column := func(text, name string) selectstmt.Item {
		return selectstmt.Item{Text: text, Column: name}
	}
	for text, want := range map[string]selectstmt.Statement{
		`SELECT * FROM ks.t`: {Keyspace: "ks", Table: "t"},
		`select "K", v['a, b'], toDate( ts )  AS d, x /* from */ from "Ks".t where d > 3 and c in (1, 2);`: {
			Keyspace: "Ks",
			Table:    "t",
			Items: []selectstmt.Item{
				column(`"K"`, "K"), item("v['a, b']"), item("toDate( ts )  AS d"), column("x", "x"),
			},
			Where:     "d > 3 and c in (1, 2)",
			Functions: []string{"todate"},
		},
		`SELECT DISTINCT p FROM t WHERE m = {'a':true} LIMIT 5 ALLOW FILTERING -- all`: {
			Table:          "t",
			Items:          []selectstmt.Item{column("p", "p")},
			Where:          "m = {'a':true}",
			Limit:          5,
			AllowFiltering: true,
			Distinct:       true,
		},
		`SELECT distinct, json FROM t PER PARTITION LIMIT 2`: {
			Table: "t",
			Items: []selectstmt.Item{
				column("distinct", "distinct"), column("json", "json"),
			},
			PerPartition: 2,
		},
		`SELECT COUNT(*), f(g(a)) FROM t`: {
			Table:     "t",
			Items:     []selectstmt.Item{item("COUNT(*)"), item("f(g(a))")},
			Functions: []string{"count", "f", "g"},
		},
	} {
		s, err := selectstmt.Parse(text)
		require.NoError(t, err, text)
		require.Regexp(t, `(?i)from\s+$`, text[:s.TableAt])
		want.TableAt = s.TableAt
		require.Equal(t, want, *s, text)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "expected SELECT, found the end",
		"UPDATE t":                     `expected SELECT, found "update"`,
		"SELECT JSON a FROM t":         "line 1, column 8: SELECT JSON is not taken",
		"SELECT a b":                   "expected a comma or FROM, found the end",
		"SELECT , FROM t":              `expected a value, found ","`,
		"SELECT f(a FROM t":            "expected ), found the end",
		"SELECT a] FROM t":             "nothing is open that ] closes",
		"SELECT a FROM t WHERE b = ?":  "a marker: a scan has no values for it",
		"SELECT a FROM t WHERE b = :c": "column 28: a marker",
		"SELECT token(a) FROM t WHERE token (a) > 5": "column 30: a range of tokens",
		"SELECT a FROM t GROUP BY a":                 "GROUP BY is not taken",
		"SELECT a FROM t WHERE b=1 ORDER":            "ORDER BY is not taken",
		"SELECT a FROM t LIMIT 0":                    `expected a number of rows, found "0"`,
		"SELECT a FROM t LIMIT x":                    `expected a number of rows, found "x"`,
		"SELECT a FROM t ALLOW":                      `expected the end of the statement, found "allow"`,
		"SELECT a FROM t; SELECT b FROM t":           `expected the end of the statement, found "select"`,
	} {
		_, err := selectstmt.Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}

// FuzzParse parses any text. The parts of what it takes are part of the text.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"SELECT * FROM a.b;", "select DISTINCT a,b[1],c(d)as e from f where {'g':1}=h limit 2 allow filtering",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := selectstmt.Parse(text)
		if err != nil {
			return
		}
		require.NotEmpty(t, s.Table)
		require.Contains(t, text, s.Where)
		for _, item := range s.Items {
			require.NotEmpty(t, item.Text)
			require.Contains(t, text, item.Text)
		}
	})
}
