//go:build integration

package integration

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDoctor has a cluster that is well looked at, with files that are and are not.
func TestDoctor(t *testing.T) {
	t.Parallel()
	table(t, "it2.examined", "(page text, at timestamp, n int, PRIMARY KEY (page, at))")
	good := file(t, "good.csv", "page,at,n\na,2024-01-01,1\nb,2024-01-02,2\n")
	r := ok(t, "doctor", "it2.examined", good)
	for _, line := range []string{
		"ok       connection     3 of 3 nodes answer, in ", "ok       tls            off: ", "ok       versions       Cassandra ",
		"ok       schema         all nodes have the same\n", "ok       clock          3 clocks within ", "ok       cores          ",
		"ok       thresholds     warned of: batches over ", "       disk space     ", "ok       storage port   reached on 3 nodes",
		"ok       table          it2.examined, 3 columns, 2 of them key\n", "warning  replication    ALL waits for 2 of 2 replicas: no node may go down\n",
		"ok       rights         the cluster lets everybody read and write\n", "ok       streaming      --via stream: rows can bypass CQL, ",
		"ok       header         3 columns, by the header\n", "ok       rows           the first 2 rows fit\n", "ok       estimate       2 rows: ",
	} {
		require.Contains(t, r.out, line)
	}
	require.NotContains(t, r.out, "failure")

	for _, via := range []string{"cql", "stream"} {
		require.Contains(
			t,
			ok(t, "load", "it2.examined", good, "--via", via, "--check").out,
			"ok       load           it can begin\n",
		)
		require.Contains(
			t,
			ok(t, "scan", "it2.examined", "--via", via, "--check").out,
			"ok       scan           it can begin\n",
		)
	}
	require.Equal(t, "0\n", ok(t, "count", "it2.examined").out, "nothing was written")

	bad := file(t, "bad.csv", "page,at,n\na,31/12/2024,1\n")
	r = cqlbulk(t, "load", "it2.examined", bad, "--check")
	require.Equal(t, 2, r.code, r.report)
	require.Contains(t, r.out, "failure  rows           ")
	require.Contains(t, r.out, "warning  dates          ")
	r = cqlbulk(t, "doctor", "it2.examine", good)
	require.Equal(t, 2, r.code, r.report)
	require.Contains(
		t,
		r.out,
		"failure  table          table \"examine\" not found in keyspace \"it2\"; did you\n",
	)
}

// TestDoctorTellsRights asks as roles of several rights, by TLS.
func TestDoctorTellsRights(t *testing.T) {
	asAdmin(
		t,
		guarded,
		"CREATE TABLE IF NOT EXISTS guarded.examined (k int PRIMARY KEY, v text)",
		"CREATE ROLE IF NOT EXISTS examined_reader WITH PASSWORD = 'examined_reader' AND LOGIN = true",
		"GRANT SELECT ON TABLE guarded.examined TO examined_reader",
		"CREATE ROLE IF NOT EXISTS examined_writer WITH PASSWORD = 'examined_writer' AND LOGIN = true",
		"GRANT MODIFY ON KEYSPACE guarded TO examined_writer",
	)
	secured := []string{
		"--port",
		tlsPort,
		"--ssl",
		"--cacert",
		tlsFile(t, "ca.pem"),
		"--cert",
		tlsFile(t, "client.pem"),
		"--key",
		tlsFile(t, "client-key.pem"),
	}
	rows := file(t, "rows.csv", "k,v\n1,one\n")
	for _, tc := range []struct {
		role string
		args []string
		code int
		want string
	}{
		{"cassandra", []string{"doctor", "guarded.examined"}, 0, "ok       rights         cassandra is a superuser\n"},
		{"examined_reader", []string{"doctor", "guarded.examined"}, 0, "warning  rights         examined_reader has no MODIFY on guarded.examined\n"},
		{"examined_reader", []string{"scan", "guarded.examined", "--check"}, 0, "ok       rights         examined_reader has SELECT\n"},
		{"examined_reader", []string{"load", "guarded.examined", rows, "--check"}, 2, "failure  rights         examined_reader has no MODIFY on guarded.examined\n" +
			"                        do: GRANT MODIFY ON TABLE guarded.examined TO\n                            examined_reader\n"},
		{"examined_writer", []string{"load", "guarded.examined", rows, "--check"}, 0, "ok       rights         examined_writer has MODIFY\n"},
		{"examined_writer", []string{"scan", "guarded.examined", "--check"}, 2, "failure  rights         examined_writer has no SELECT on guarded.examined\n"},
	} {
		t.Setenv("CQLBULK_PASSWORD", tc.role)
		r := cqlbulkOn(
			t,
			authHost(),
			slices.Concat(tc.args, secured, []string{"--user", tc.role})...)
		require.Equal(t, tc.code, r.code, r.out+r.report)
		require.Contains(t, r.out, tc.want)
		require.Contains(t, r.out, "       tls            ")
		require.NotContains(t, r.out, "off: connections are not secured")
	}
	t.Setenv("CQLBULK_PASSWORD", "wrong")
	r := cqlbulkOn(
		t,
		authHost(),
		slices.Concat([]string{"doctor"}, secured, []string{"--user", "cassandra"})...)
	require.Equal(t, 2, r.code, r.report)
	require.Contains(
		t,
		r.out,
		"failure  connection     the cluster refused user \"cassandra\": user name or\n",
	)
}
