package schema

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplitName(t *testing.T) {
	for _, tc := range []struct {
		name string
		want []string
		err  string
	}{
		{`t`, []string{"t"}, ""},
		{`ks.t`, []string{"ks", "t"}, ""},
		{`Ks.TABLE_1`, []string{"ks", "table_1"}, ""},
		{`_x.t2`, []string{"_x", "t2"}, ""},
		{`"Ks"."T"`, []string{"Ks", "T"}, ""},
		{`ks."a.b"`, []string{"ks", "a.b"}, ""},
		{`"a""b".t`, []string{`a"b`, "t"}, ""},
		{`"select"`, []string{"select"}, ""},
		{`"Größe".t`, []string{"Größe", "t"}, ""},
		{``, nil, "empty name"},
		{`.t`, nil, "empty name"},
		{`ks.`, nil, "empty name"},
		{`"".t`, nil, "empty name"},
		{`ks.t.x`, nil, "more than two parts: the form is keyspace.table"},
		{`ks.1t`, nil, `"1t" is not a CQL name; put it in double quotes if it is meant`},
		{`my-ks.t`, nil, `"my-ks" is not a CQL name; put it in double quotes if it is meant`},
		{`ks. t`, nil, `" t" is not a CQL name; put it in double quotes if it is meant`},
		{`größe.t`, nil, `"größe" is not a CQL name; put it in double quotes if it is meant`},
		{`k"s.t`, nil, `"k\"s" is not a CQL name; put it in double quotes if it is meant`},
		{`"ks".`, nil, "empty name"},
		{`"ks"t`, nil, `unexpected "t" after a quoted name`},
		{`"ks`, nil, "a double quote is not closed"},
		{`"ks""`, nil, "a double quote is not closed"},
		{`"`, nil, "a double quote is not closed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := SplitName(tc.name)
			if tc.err != "" {
				require.EqualError(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, got)
		})
	}
}

func FuzzSplitName(f *testing.F) {
	for _, s := range []string{"ks.t", `"a""b".c`, `"a`, "..", `"a".`, "A._1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		parts, err := SplitName(s)
		if err != nil {
			require.Nil(t, parts)
			return
		}
		require.LessOrEqual(t, len(parts), 2)
		require.NotContains(t, parts, "")
		// What was read reads back from its quoted form.
		quoted := ""
		for i, p := range parts {
			if i > 0 {
				quoted += "."
			}
			quoted += quoteName(p)
		}
		split, err := SplitName(quoted)
		require.NoError(t, err)
		require.Equal(t, parts, split)
	})
}

func quoteName(name string) string {
	quoted := `"`
	for i := range len(name) {
		if name[i] == '"' {
			quoted += `"`
		}
		quoted += name[i : i+1]
	}
	return quoted + `"`
}
