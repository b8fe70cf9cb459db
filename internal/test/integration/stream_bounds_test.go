//go:build integration

package integration

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a server refuses by CQL is refused when it is streamed, row by row. Such are a partition key
// of more than 65,535 bytes, and a time to live that ends after 2038-01-19, which SSTables of
// version nb cannot keep. What is just within the bounds is loaded.
func TestStreamedRowsAtTheirBounds(t *testing.T) {
	lengthy(t)
	t.Parallel()
	in := "k,v,ttl(v)\n" + strings.Repeat(
		"a",
		65535,
	) + ",longest,\n" + strings.Repeat(
		"b",
		65536,
	) + ",too long,\n" +
		"c,expires too late,630720000\nd,expires,8640000\n"
	path := file(t, "in.csv", in)
	for name, flags := range map[string][]string{"bounds_cql": nil, "bounds_rows": {"--via", "stream", "--stream", "rows"}, "bounds_whole": {"--via", "stream", "--stream", "whole"}} {
		table(t, "it2."+name, "(k text PRIMARY KEY, v text)")
		r := cqlbulk(
			t,
			append(
				[]string{"load", "it2." + name, path, "--run-dir", t.TempDir() + "/run"},
				flags...)...)
		require.Equal(t, 2, r.code, r.report)
		require.Contains(t, r.report, "4 read, 2 rejected", name)
		require.Contains(t, r.report, "key value of 65536 bytes is longer than 65535 bytes")
		if flags != nil {
			require.Contains(
				t,
				r.report,
				"TTL of 630720000 seconds ends after 2038-01-19T03:14:06Z",
			)
		}
		got := strings.Fields(ok(t, "scan", "it2."+name, "--columns", "k,v", "--header=false").out)
		require.ElementsMatch(
			t,
			[]string{strings.Repeat("a", 65535) + ",longest", "d,expires"},
			got,
			name,
		)
	}
}

// A partition of more bytes than a signed number of 32 bits counts is streamed in both forms, and
// read as it was written.
func TestAPartitionOfMoreThan2GiB(t *testing.T) {
	lengthy(t)
	const rows, length = 2100, 1 << 20
	path := filepath.Join(t.TempDir(), "wide.csv")
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	out := bufio.NewWriter(f)
	_, _ = out.WriteString("k,c,v\n") // the error comes with Flush
	text := make([]byte, length)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range text {
		text[i] = byte('a' + random.IntN(26))
	}
	for i := range rows {
		at := random.IntN(length)
		_, _ = fmt.Fprintf(out, "1,%d,%s%s\n", i, text[at:], text[:at])
	}
	require.NoError(t, out.Flush())
	sum := regexp.MustCompile(`checksum +([0-9a-f]{32})`)
	for _, form := range []string{"rows", "whole"} {
		name := "it1.wide_" + form
		table(t, name, "(k int, c int, v text, PRIMARY KEY (k, c))")
		loaded := ok(t, "load", name, path, "--via", "stream", "--stream", form)
		scanned := ok(t, "scan", name, "-o", filepath.Join(t.TempDir(), "out.csv"))
		require.Contains(t, scanned.report, "2,100 rows")
		require.Equal(
			t,
			sum.FindStringSubmatch(loaded.report),
			sum.FindStringSubmatch(scanned.report),
		)
		exec(t, "DROP TABLE "+name)
	}
}
