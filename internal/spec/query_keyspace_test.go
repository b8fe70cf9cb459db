package spec

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAStatementIsOfTheKeyspaceNamed(t *testing.T) {
	for _, c := range []struct{ query, keyspace, want string }{
		{"UPDATE t SET v = 1 WHERE k = :k", "ks", `UPDATE ks.t SET v = 1 WHERE k = :k`},
		{` insert into "T"(k) values (:k)`, "My Ks", ` insert into "My Ks"."T"(k) values (:k)`},
		{"DELETE FROM t WHERE k = :k", "", "DELETE FROM t WHERE k = :k"},
		{"DELETE FROM a.t WHERE k = :k", "ks", "DELETE FROM a.t WHERE k = :k"},
		{"DELETE FROM", "ks", "DELETE FROM"},
		{"", "ks", ""},
	} {
		o := NewLoad()
		o.Query = c.query
		o.UseKeyspace(c.keyspace)
		require.Equal(t, c.want, o.Query)
	}
	s := NewScan()
	s.Query = "/* all */ SELECT k FROM t /* of */ WHERE k > 1"
	s.UseKeyspace("ks")
	require.Equal(t, "/* all */ SELECT k FROM ks.t /* of */ WHERE k > 1", s.Query)
}
