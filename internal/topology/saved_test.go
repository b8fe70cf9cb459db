package topology

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// savedCluster is a cluster of two nodes.
func savedCluster() *Saved {
	at := func(n int64) token.Token { return token.Murmur3Token(uint64(n)) }
	return &Saved{
		Cluster: Cluster{Name: "demo", Partitioner: "org.apache.cassandra.dht.Murmur3Partitioner", LocalDC: "dc1", Nodes: []Node{
			{ID: "a", Address: "10.0.0.1:9042", DC: "dc1", Rack: "r1", Version: "5.0.6", Tokens: []token.Token{at(-5), at(1 << 62)}},
			{ID: "b", Address: "[2001:db8::1]:9042", DC: "dc2", Rack: "r2", Version: "4.1.10", Tokens: []token.Token{at(7)}},
		}},
		At:        time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Keyspaces: map[string]map[string]string{"k": {"class": "SimpleStrategy", "replication_factor": "2"}},
	}
}

// What is saved is read again as it was.
func TestSavedClusterComesBack(t *testing.T) {
	for _, scylla := range []bool{false, true} {
		s := savedCluster()
		s.ScyllaDB = scylla
		b, err := s.Append(nil)
		require.NoError(t, err)
		require.Contains(t, string(b), `"4611686018427387904"`)
		again, err := ParseSaved(b)
		require.NoError(t, err)
		require.Equal(t, s, again)
	}
}

// What makes no ring is refused.
func TestSavedThatCannotBe(t *testing.T) {
	b, err := savedCluster().Append(nil)
	require.NoError(t, err)
	for _, c := range []struct{ old, changed, want string }{
		{`"format": 1`, `"format": 2`, "format 2: only 1 is read"},
		{`"server": "cassandra"`, `"server": "x"`, `server "x": must be cassandra or scylladb`},
		{`"id": "b"`, `"id": "a"`, `node 2 has the id "a", which is empty or another's`},
		{`"7"`, `"seven"`, "node b: "},
		{`"7"`, `"-5"`, "-5"},
		{`"datacenter": "dc1",`, `"datacenter": "dc9",`, `no node is in data center "dc9"`},
		{`Murmur3Partitioner`, `MyPartitioner`, "MyPartitioner"},
		{`"rack"`, `"shelf"`, "shelf"},
		{"}\n}", "}\n} x", "behind the object"},
	} {
		text := strings.Replace(string(b), c.old, c.changed, 1)
		require.NotEqual(t, string(b), text, c.old)
		_, err := ParseSaved([]byte(text))
		require.ErrorContains(t, err, c.want)
	}
}

// Whatever the bytes, reading ends, and what it gives is read again from what is written of it.
func FuzzParseSaved(f *testing.F) {
	b, err := savedCluster().Append(nil)
	require.NoError(f, err)
	f.Add(b)
	f.Add([]byte(`{"format":1,"server":"scylladb","partitioner":"Murmur3Partitioner","datacenter":"","nodes":[{"id":"x","tokens":["0"]}]}`))
	f.Add([]byte(`{"format":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseSaved(b)
		if err != nil {
			return
		}
		out, err := s.Append(nil)
		if err != nil {
			t.Skip() // a year that JSON does not write
		}
		again, err := ParseSaved(out)
		require.NoError(t, err)
		require.True(t, s.At.Equal(again.At))
		again.At = s.At // which may have another name for its zone
		require.Equal(t, s, again)
	})
}
