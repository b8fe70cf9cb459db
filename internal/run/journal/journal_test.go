package journal

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func sample() Manifest {
	return Manifest{
		Tool:    "cqlbulk 0.1.0",
		Command: "scan",
		Table:   "demo.flights",
		Started: time.Date(
			2024,
			5,
			6,
			9,
			8,
			9,
			123456789,
			time.FixedZone("east", 2*3600),
		),
		SchemaFingerprint: "00ff",
		Options:           json.RawMessage(`{"null": "<none> & \"checksum\":\"", "header": true}`),
		Extra:             json.RawMessage(`[1, 2.50]`),
	}
}

type entry struct {
	N    int    `json:"n"`
	Text string `json:"text"`
}

func create(t testing.TB) *Journal {
	t.Helper()
	j, err := Create(filepath.Join(t.TempDir(), "run"), sample())
	require.NoError(t, err)
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// collect makes a callback that keeps records as "seq kind payload".
func collect(into *[]string) func(Record) error {
	return func(r Record) error {
		*into = append(*into, fmt.Sprintf("%d %s %s", r.Seq, r.Kind, r.Payload))
		return nil
	}
}

func nothing(Record) error { return nil }

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	all := []string{}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestCreateAppendOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "run")
	j, err := Create(dir, sample())
	require.NoError(t, err)
	require.Equal(t, dir, j.dir)
	require.Equal(t, []string{"journal", "lock", "run.json", "synced"}, names(t, dir))
	for _, name := range append(names(t, dir), ".") {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, name)
	}
	require.NoError(t, j.Append("range", entry{1, "a <b>\n"}))
	require.NoError(t, j.Append("x-2_y", json.RawMessage("{\n \"n\": 2 }")))
	require.EqualValues(t, 2, j.seq)
	require.NoError(t, j.Close())
	require.NoError(t, j.Close(), "a second time does nothing")
	require.Equal(t, []string{"journal", "run.json", "synced"}, names(t, dir))
	require.ErrorIs(t, j.Append("range", 1), errClosed)
	require.ErrorIs(t, j.Sync(), errClosed)

	var got []string
	reopened, err := Open(dir, collect(&got))
	require.NoError(t, err)
	require.Equal(t, []string{`1 range {"n":1,"text":"a <b>\n"}`, `2 x-2_y {"n":2}`}, got)
	require.Equal(t, j.Manifest(), reopened.Manifest())
	require.EqualValues(t, 2, reopened.seq)
	require.Zero(t, reopened.tail.Bytes)
	require.NoError(t, reopened.Append("range", 3))
	require.NoError(t, reopened.Close())

	got = nil
	status, err := Read(dir, collect(&got))
	require.NoError(t, err)
	require.Equal(t, "3 range 3", got[2])
	require.EqualValues(t, 3, status.Records)
	require.Equal(t, j.Manifest(), status.Manifest)
	require.False(t, status.Live)
	require.Zero(t, status.Holder)
}

func TestFormat(t *testing.T) {
	j := create(t)
	require.NoError(t, j.Append("range", entry{1, "é"}))
	text, err := os.ReadFile(j.path())
	require.NoError(t, err)
	// The CRC is that of any CRC-32C over `1 range {"n":1,"text":"é"}`.
	require.Equal(
		t,
		"cqlbulk-journal 1 "+j.Manifest().Checksum+"\n7b5839eb 1 range {\"n\":1,\"text\":\"é\"}\n",
		string(text),
	)
	crc := checksum([]byte("123456789"))
	require.Equal(t, "e3069283", string(crc[:]), "the check value of CRC-32C")
}

func TestCallbackFails(t *testing.T) {
	j := create(t)
	require.NoError(t, j.Append("range", "text"))
	require.NoError(t, j.Close())
	f, err := os.OpenFile(j.path(), os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	_, err = f.WriteString("torn")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	before, err := os.ReadFile(j.path())
	require.NoError(t, err)

	refuse := func(r Record) error { var n int; return r.Decode(&n) }
	for range 2 { // the lock is free again
		_, err = Open(j.dir, refuse)
		require.ErrorContains(t, err, "record 1 of kind range: json: cannot unmarshal string")
		require.ErrorAs(t, err, new(*json.UnmarshalTypeError))
	}
	_, err = Read(j.dir, refuse)
	require.ErrorAs(t, err, new(*json.UnmarshalTypeError))
	after, err := os.ReadFile(j.path())
	require.NoError(t, err)
	require.Equal(t, before, after, "the tail is cut off only after all went well")
}

func TestAppendRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		kind string
		v    any
		want string
	}{
		"no kind":          {"", 1, `kind "" is not`},
		"blank":            {"a b", 1, `kind "a b" is not`},
		"capital":          {"Range", 1, `kind "Range" is not`},
		"digit first":      {"1a", 1, `kind "1a" is not`},
		"long kind":        {strings.Repeat("a", 33), 1, "is not 1 to 32"},
		"not JSON":         {"a", func() {}, "record 2: kind a: json: unsupported type"},
		"not one value":    {"a", json.RawMessage("1 2"), "record 2: kind a: json: "},
		"one byte too big": {"a", strings.Repeat("x", MaxPayload-1), "record 2: kind a: a payload of 16777217 bytes: at most 16777216"},
	} {
		t.Run(name, func(t *testing.T) {
			j := create(t)
			require.NoError(t, j.Append("range", 1))
			err := j.Append(c.kind, c.v)
			require.ErrorContains(t, err, "journal "+j.path()+": ")
			require.ErrorContains(t, err, c.want)
			require.Equal(t, err, j.Append("range", 2), "it stays")
			require.Equal(t, err, j.Sync())
			require.Equal(t, err, j.Close())
			status, err := Read(j.dir, nothing)
			require.NoError(t, err)
			require.EqualValues(t, 1, status.Records)
		})
	}
}

func TestLongestRecord(t *testing.T) {
	j := create(t)
	longest := strings.Repeat("x", MaxPayload-2)
	require.NoError(t, j.Append(strings.Repeat("k", maxKind), longest))
	require.NoError(t, j.Append("a", 2))
	require.NoError(t, j.Close())
	var sizes []int
	j, err := Open(
		j.dir,
		func(r Record) error { sizes = append(sizes, len(r.Payload)); return nil },
	)
	require.NoError(t, err)
	require.Equal(t, []int{MaxPayload, 1}, sizes)
	require.NoError(t, j.Close())
}

func TestReadEndsWhereItBegan(t *testing.T) {
	j := create(t)
	require.NoError(t, j.Append("a", 1))
	status, err := Read(j.dir, func(r Record) error {
		require.EqualValues(t, 1, r.Seq)
		return j.Append("a", strings.Repeat("x", keepBuffer))
	})
	require.NoError(t, err)
	require.EqualValues(t, 1, status.Records)
	require.True(t, status.Live)
}

func TestConcurrentAppend(t *testing.T) {
	const writers, each = 8, 200
	j := create(t)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				if err := j.Append("w", [2]int{w, i}); err != nil {
					t.Error(err)
				}
				if i%50 == w {
					if err := j.Sync(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	stop := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() { // looks on meanwhile
		for seen := uint64(0); ; {
			status, err := Read(j.dir, nothing)
			if err != nil || !status.Live || status.Holder.PID != os.Getpid() ||
				status.Records < seen {
				t.Errorf("%+v after %d records: %v", status, seen, err)
				return
			}
			seen = status.Records
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	all.Wait()
	close(stop)
	reader.Wait()
	require.NoError(t, j.Close())

	next := make([]int, writers)
	status, err := Read(j.dir, func(r Record) error {
		var v [2]int
		require.NoError(t, r.Decode(&v))
		require.Equal(t, next[v[0]], v[1])
		next[v[0]]++
		return nil
	})
	require.NoError(t, err)
	require.EqualValues(t, writers*each, status.Records)
	require.Zero(t, status.Tail.Bytes)
}
