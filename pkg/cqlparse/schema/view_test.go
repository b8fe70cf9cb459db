package schema

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// A view has the types of its base table's columns, whichever of the two statements is first.
func TestViewsHaveTheTypesOfTheirBaseTables(t *testing.T) {
	s, err := Parse(
		`CREATE MATERIALIZED VIEW d.alone AS SELECT * FROM d.absent WHERE k IS NOT NULL PRIMARY KEY (k);

CREATE MATERIALIZED VIEW IF NOT EXISTS d.by_g AS SELECT * FROM d.base

    WHERE g IS NOT NULL AND k IS NOT NULL AND c IS NOT NULL PRIMARY KEY ((g, k), c)

    WITH ID = be429320-e775-11f1-8034-61a613d04875
    AND CLUSTERING ORDER BY (c DESC) AND comment = 'x';

CREATE MATERIALIZED VIEW d.by_c AS SELECT k, c, "V" FROM d.base WHERE c > 1 AND k IS NOT NULL PRIMARY KEY (c, k);

CREATE TABLE d.base (k int, c text, g date, "V" list<int>, u int, gone int, PRIMARY KEY (k, c));
ALTER TABLE d.base DROP gone`,
		"d",
	)
	require.NoError(t, err)
	require.Nil(t, s.View("d", "alone"))
	require.Equal(t, "absent", s.MakesView("d", "alone").Table)
	require.Nil(t, s.Table("d", "by_g"))
	byG := s.View("d", "by_g")
	columns := func(t *Table) (all []string) {
		for _, c := range t.Columns {
			all = append(
				all, fmt.Sprintf("%s %s %d %d %v", c.Name, c.Type, c.Kind, c.Position, c.Desc),
			)
		}
		return all
	}
	require.Equal(t, []string{
		"k int 3 1 false", "c text 2 0 true", "g date 3 0 false",
		"V list<int> 0 -1 false", "u int 0 -1 false",
	}, columns(byG))
	require.Equal(t, "base", byG.ViewOf)
	require.True(t, byG.StrictLiveness)
	require.Equal(t, "be429320-e775-11f1-8034-61a613d04875", byG.ID)
	byC := s.View("d", "by_c")
	require.Equal(t, []string{
		"k int 2 0 false", "c text 3 0 false", "V list<int> 0 -1 false",
	}, columns(byC))
	require.False(t, byC.StrictLiveness)
}

func TestViewsThatCannotBeRead(t *testing.T) {
	_, err := Parse("CREATE MATERIALIZED VIEW k.m AS SELECT * FROM k.t", "")
	require.EqualError(t, err, "line 1, column 50: expected PRIMARY KEY, found the end")
	_, err = Parse(
		"CREATE TABLE k.t (k int PRIMARY KEY, v int); CREATE MATERIALIZED VIEW k.m AS SELECT * FROM k.t PRIMARY KEY (v)",
		"",
	)
	require.EqualError(
		t,
		err,
		`line 1, column 71: the primary key lacks the column "k", which is of that of the base table`,
	)
}
