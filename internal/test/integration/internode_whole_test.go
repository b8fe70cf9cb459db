//go:build integration

package integration

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/internode"
)

// flushed reads the SSTables of a table from a node's disk, as files of another table.
func flushed(
	t *testing.T,
	node server,
	name string,
	table internode.UUID,
	keys int,
) (all []internode.File) {
	t.Helper()
	node.flush(t, "it3", name)
	data, err := filepath.Glob(node.dir + "/data/data/it3/" + name + "-*/nb-*-big-Data.db")
	require.NoError(t, err)
	require.NotEmpty(t, data)
	for _, path := range data {
		prefix := strings.TrimSuffix(path, "Data.db")
		parts, err := filepath.Glob(prefix + "*")
		require.NoError(t, err)
		whole := &internode.Whole{Version: "nb"}
		file := internode.File{Table: table, Keys: int64(keys), Whole: whole}
		for _, part := range parts {
			content, err := os.ReadFile(part)
			require.NoError(t, err)
			name := strings.TrimPrefix(part, prefix)
			switch name {
			case "TOC.txt":
				continue
			case "Index.db": // it begins with the first key
				whole.FirstKey = content[2 : 2+binary.BigEndian.Uint16(content)]
			case "Statistics.db": // the last component in it is the header, with a checksum behind
				at := binary.BigEndian.Uint32(content[8+3*8+4:])
				file.Header = content[at : len(content)-4]
			}
			whole.Components = append(whole.Components, internode.Component{
				Name: name,
				Size: int64(len(content)),
				Open: func() (io.ReadCloser, error) {
					return io.NopCloser(bytes.NewReader(content)), nil
				},
			})
		}
		all = append(all, file)
	}
	return all
}

// SSTables that Cassandra wrote for one table are sent whole into another.
func TestWholeSSTablesStreamedIn(t *testing.T) {
	lengthy(t)
	t.Parallel()
	rows := testRows(t, 10_000)
	table(t, "it3.whole_from", streamedBody)
	table(t, "it3.whole_to", streamedBody)
	var text strings.Builder
	text.WriteString("k,c,v,writetime(v)\n")
	var want []string
	for i := range rows {
		line := fmt.Sprintf("%d,%d,value %d,%d", i, i%7, i, streamedAt+i)
		text.WriteString(line + "\n")
		want = append(want, line)
	}
	slices.Sort(want)
	ok(t, "load", "it3.whole_from", file(t, "in.csv", text.String()))
	files := flushed(
		t,
		server{clusterFolder() + "/node1"},
		"whole_from",
		tableID(t, session, "it3.whole_to"),
		rows,
	)
	var client internode.Client
	for _, node := range storageAddresses(t) {
		_, err := client.Stream(t.Context(), node, files, internode.Watch{})
		require.NoError(t, err)
	}
	require.Equal(t, want, streamedLines(t, "it3.whole_to"))
	require.Equal(
		t,
		"7,0,value 7\n",
		ok(t, "scan", "it3.whole_to", "--where", "k = 7", "--header=false").out,
	)
	require.Empty(t, ok(t, "scan", "it3.whole_to", "--where", "k = -7", "--header=false").out)
}
