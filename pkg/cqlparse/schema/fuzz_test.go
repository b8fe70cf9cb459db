package schema

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// FuzzParse checks that parsing any text ends. Each type of the result must read back as itself,
// and each key column must have its position.
func FuzzParse(f *testing.F) {
	f.Add(described)
	f.Add(
		"CREATE TABLE k.t (k int PRIMARY KEY, v frozen<tuple<'a.b.C', \"X\">>) WITH x = {'a'} AND y = -1.5E-10",
	)
	f.Add("create type k.a(b frozen<a>);create table k.t(k int primary key,v a)")
	f.Add("ALTER TABLE k.t ADD (a int, b text static); USE k; DROP TABLE x")
	f.Add("$$ /* $$ -- ' \n \" // 'x")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text, "ks")
		if err != nil {
			var at *Error
			require.ErrorAs(t, err, &at)
			require.Positive(t, at.Line)
			require.Positive(t, at.Column)
			return
		}
		for _, table := range s.Tables {
			var keys, last int
			for _, c := range table.Columns {
				if c.Kind == PartitionKey {
					keys++
					last = max(last, c.Position)
				}
				reparsed, err := cqltype.Parse(
					c.Type.String(),
					func(name string) (*cqltype.Type, error) {
						return &cqltype.Type{Kind: cqltype.UDT, Name: name}, nil
					},
				)
				require.NoError(t, err)
				require.Equal(t, c.Type.String(), reparsed.String())
			}
			require.Positive(t, keys)
			require.Equal(t, keys-1, last)
		}
	})
}
