package chaos

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// small is a cluster of one node with a table ks.t of a key k and a column n, and a
// working directory.
type small struct {
	*testing.T
	*simcluster.Cluster
	dir   string
	stdin io.Reader // of what is run next; nil: nothing
}

func newSmall(t *testing.T, typ string) *small {
	c, err := simcluster.Start(
		simcluster.Options{Base: simcluster.Anywhere, Nodes: 1, Factor: 1, Release: release,
			Tables: []simcluster.Table{{Keyspace: "ks", Name: "t", Columns: columnsOf(typ)}}},
	)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return &small{T: t, Cluster: c, dir: t.TempDir()}
}

func columnsOf(typ string) []simcluster.Column {
	return []simcluster.Column{
		{Name: "k", Kind: simcluster.PartitionKey, Type: "bigint"},
		{Name: "n", Type: typ},
	}
}

func (s *small) write(name, text string) {
	require.NoError(s, os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600))
}

func (s *small) begin(args ...string) *process {
	if args[0] != "status" {
		args = append(
			args,
			"--hosts",
			strings.Join(s.Hosts(), ","),
			"--port",
			fmt.Sprint(s.Port()),
			"--timeout",
			"1s",
			"--connections",
			"1",
		)
	}
	return launchFrom(s.T, s.stdin, s.dir, args...)
}

// run runs the program, which must end with that exit code and say all of that.
func (s *small) run(code int, says string, args ...string) string {
	s.Helper()
	e := s.begin(args...).wait(s.T)
	require.Equal(s, code, e.code, e.output)
	require.Contains(s, e.output, says)
	return e.output
}

// values is what the column n of each key has.
func (s *small) values() map[uint64]uint64 {
	values := make(map[uint64]uint64)
	for _, r := range s.Records("ks.t") {
		values[binary.BigEndian.Uint64(r.Cells[0].Value)] = binary.BigEndian.Uint64(
			r.Cells[1].Value,
		)
	}
	return values
}

func writing(r simcluster.Request) bool { return len(r.Keys) > 0 }

// doubt loads three rows: the first is in doubt, and the last but one is bad.
func (s *small) doubt() {
	s.Helper()
	s.write("in.csv", "k,n\n1,1\n2,1\nx,1\n4,1\n")
	s.Inject(simcluster.Rule{Match: writing, Times: 1, Fault: simcluster.WriteTimeout})
	s.run(
		2,
		"1 rejected",
		"load",
		"ks.t",
		"in.csv",
		"--run-dir",
		"run",
		"--maxbatchsize",
		"1",
		"--inflight",
		"1",
	)
	s.write("run/rejects.csv", "k,n\n9,1\n")
}

// Rejects of counters are loaded again once, however it is asked for.
func TestCountersRetriedOnce(t *testing.T) {
	s := newSmall(t, "counter")
	s.doubt()
	want := map[uint64]uint64{1: 1, 2: 1, 4: 1}
	for k := range want {
		if _, there := s.values()[k]; !there {
			delete(want, k)
		}
	}
	require.Len(t, want, 2, "one is in doubt and was not applied")
	want[9] = 1
	s.run(2, "1 row in doubt was not retried", "retry", "run")
	require.Equal(t, want, s.values())
	s.write("run/rejects.csv", "k,n\n9,2\n")
	refused := s.run(
		1,
		"what was rejected was loaded again before, and nothing of it was left over",
		"retry",
		"run",
	)
	require.NotContains(t, refused, "later timestamp", "nothing is written")
	s.write("run/rejects.csv", "k,n\n9,1\n")
	require.Contains(
		t,
		s.run(0, "rejects.csv; nothing of it was left over", "status", "run"),
		"retry --repeat-in-doubt run",
	)
	s.run(0, "nothing is left to retry", "retry", "run", "--repeat-in-doubt")
	for _, k := range []uint64{1, 2, 4} {
		want[k] = 1
	}
	require.Equal(t, want, s.values())
	s.run(1, "loaded again before", "retry", "run", "--repeat-in-doubt")
	require.Contains(t, s.run(0, "in-doubt.csv, rejects.csv; nothing", "status", "run"), "retried")
	require.Equal(t, want, s.values())
}

// A try that wrote nothing does not stand in the way of the next.
func TestRetryAfterOneThatDidNothing(t *testing.T) {
	s := newSmall(t, "counter")
	s.doubt()
	s.write("run/rejects.csv", "k,m\n9,1\n")
	s.run(1, `no column "m"`, "retry", "run")
	s.write("run/rejects.csv", "k,n\n9,1\n")
	require.NotContains(t, s.run(0, "retry run", "status", "run"), "retried")

	refused := s.Inject(simcluster.Rule{Match: writing, Fault: simcluster.Unavailable})
	p := s.begin("retry", "run", "--maxattempts", "100000")
	require.Eventually(
		t,
		func() bool { return refused.Hits() > 0 },
		time.Minute,
		10*time.Millisecond,
	)
	p.signal(os.Interrupt)
	p.signal(os.Interrupt)
	p.wait(t)
	s.Calm()
	s.run(1, "see cqlbulk status "+filepath.Join(s.dir, "run", "retry-1"), "retry", "run")
	s.run(0, "1 read", "resume", "run/retry-1", "--repeat-in-doubt")
	require.EqualValues(t, 1, s.values()[9])
}

// Lists that are written again have the elements of one time.
func TestListsWrittenTwice(t *testing.T) {
	s := newSmall(t, "list<int>")
	s.write("in.csv", "k,n\n1,[1]\n1,[2]\n")
	s.Inject(simcluster.Rule{Match: writing, Times: 1, Fault: simcluster.WriteTimeoutApplied})
	s.run(
		2,
		"1 in doubt",
		"load",
		"ks.t",
		"in.csv",
		"--run-dir",
		"run",
		"--maxbatchsize",
		"1",
		"--inflight",
		"1",
	)
	s.run(0, "nothing is left to retry", "retry", "run", "--repeat-in-doubt")
	applied := s.Applied()
	require.Len(t, applied, 3)
	first, second, third := applied[0].Timestamp, applied[1].Timestamp, applied[2].Timestamp
	require.Equal(t, first+1, third)
	require.Greater(t, second, third, "the later row of the key stands")
}

// A load of lists that was killed repeats what was under way with later timestamps.
func TestListsRepeated(t *testing.T) {
	s := newSmall(t, "list<int>")
	s.write("in.csv", "k,n\n1,[1]\n1,[2]\n")
	args := []string{
		"load",
		"ks.t",
		"in.csv",
		"--run-dir",
		"run",
		"--maxbatchsize",
		"1",
		"--inflight",
		"1",
	}
	for range 2 {
		held := s.Inject(simcluster.Rule{Match: writing, Skip: 1, Delay: time.Hour})
		p := s.begin(args...)
		require.Eventually(t, func() bool { return held.Hits() > 0 }, time.Minute, time.Millisecond)
		p.signal(os.Kill)
		p.wait(t)
		held.Remove()
		args = []string{"resume", "run", "--repeat-in-doubt"}
	}
	s.run(0, "2 read, 0 rejected", args...)
	var stamps []int64
	for _, a := range s.Applied() {
		stamps = append(stamps, a.Timestamp-s.Applied()[0].Timestamp)
	}
	require.Equal(t, []int64{0, 1, 2, 10}, stamps, "the last is the second row, two times repeated")
}

// What is not loaded again need not be there.
func TestRetryWithoutRowsInDoubt(t *testing.T) {
	s := newSmall(t, "counter")
	s.doubt()
	require.NoError(
		t,
		os.Rename(filepath.Join(s.dir, "run/in-doubt.csv"), filepath.Join(s.dir, "elsewhere.csv")),
	)
	s.run(2, "1 row in doubt was not retried", "retry", "run")
	require.EqualValues(t, 1, s.values()[9])
	require.NoError(t, os.Remove(filepath.Join(s.dir, "run/errors.jsonl")))
	s.run(1, "errors.jsonl is gone", "retry", "run")
}

// Rejects are not loaded into another table of the same name.
func TestRetryIntoAnotherTable(t *testing.T) {
	s := newSmall(t, "bigint")
	s.write("in.csv", "k,n\n1,1\nx,1\n")
	s.run(2, "1 rejected", "load", "ks.t", "in.csv", "--run-dir", "run")
	s.write("run/rejects.csv", "k,n\n9,1\n")
	require.NoError(t, s.Drop("ks.t"))
	require.NoError(
		t,
		s.Create(simcluster.Table{Keyspace: "ks", Name: "t", Columns: columnsOf("bigint")}, 7),
	)
	s.run(4, "is not the one that the run began with", "retry", "run")
	require.NoDirExists(t, filepath.Join(s.dir, "run/retry-1"))
	require.NotContains(t, s.values(), uint64(9))
}

// Names of fields come back as they were given.
func TestMapIsKept(t *testing.T) {
	s := newSmall(t, "bigint")
	s.write("in.csv", "k,\"a\"\"b\"\n1,1\nx,1\n4,1\n")
	s.run(
		3,
		"more than 0 parse errors",
		"load",
		"ks.t",
		"in.csv",
		"--run-dir",
		"run",
		"--map",
		`a"b=n`,
		"--maxparseerrors",
		"0",
	)
	s.run(2, "3 read, 1 rejected", "resume", "run", "--maxparseerrors", "-1")
	require.Equal(t, map[uint64]uint64{1: 1, 4: 1}, s.values())
}

// What has come up under the name of a scan's manifest is not written over.
func TestManifestThatCameUp(t *testing.T) {
	s := newSmall(t, "bigint")
	s.write("in.csv", "k,n\n1,1\n2,2\n3,3\n4,4\n")
	s.run(0, "4 read", "load", "ks.t", "in.csv")
	for _, to := range [][2]string{{"-o", "out.csv"}, {"-d", "out"}} {
		name := map[string]string{"-o": "out.csv.manifest.json", "-d": "out/manifest.json"}[to[0]]
		held := s.Inject(simcluster.Rule{Skip: 2, Delay: time.Hour})
		p := s.begin(
			"scan",
			"ks.t",
			to[0],
			to[1],
			"--run-dir",
			"run",
			"--parallel",
			"1",
			"--splits",
			"4",
		)
		require.Eventually(t, func() bool { return held.Hits() > 0 }, time.Minute, time.Millisecond)
		p.signal(os.Kill)
		p.wait(t)
		held.Remove()
		s.write(name, "mine\n")
		s.run(
			4,
			name+" exists now, and did not when the run began: move it away, and resume",
			"resume",
			"run",
		)
		text, err := os.ReadFile(filepath.Join(s.dir, name))
		require.NoError(t, err)
		require.Equal(t, "mine\n", string(text))
		require.NoError(t, os.Remove(filepath.Join(s.dir, name)))
		s.run(0, "4 rows", "resume", "run")
		require.NoDirExists(t, filepath.Join(s.dir, "run"))
	}
}

// A pipe with another header is another input.
func TestPipeWithAnotherHeader(t *testing.T) {
	s := newSmall(t, "bigint")
	pipe := func(code int, text, says string, args ...string) {
		s.stdin = strings.NewReader(text)
		defer func() { s.stdin = nil }()
		s.run(code, says, args...)
	}
	pipe(
		3,
		"k,n\n1,2\nx,1\n4,1\n",
		"more than 0 parse errors",
		"load",
		"ks.t",
		"-",
		"--format",
		"csv",
		"--run-dir",
		"run",
		"--maxparseerrors",
		"0",
	)
	pipe(
		4,
		"n,k\n1,2\nx,1\n4,1\n",
		"the input was changed",
		"resume",
		"run",
		"--maxparseerrors",
		"-1",
	)
	pipe(2, "k,n\n1,2\nx,1\n4,1\n", "3 read, 1 rejected", "resume", "run", "--maxparseerrors", "-1")
	require.Equal(t, map[uint64]uint64{1: 2, 4: 1}, s.values())
}

// A table that is gone ends a run that is resumed, as one that was created again does.
func TestTableThatIsGone(t *testing.T) {
	s := newSmall(t, "bigint")
	s.write("in.csv", "k,n\n1,1\nx,1\n")
	s.run(3, "more than 0", "load", "ks.t", "in.csv", "--run-dir", "run", "--maxparseerrors", "0")
	require.NoError(t, s.Drop("ks.t"))
	s.run(4, `table "t" not found in keyspace "ks"`, "resume", "run")
}
