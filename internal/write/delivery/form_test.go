package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// Every reason is reported why SSTables are not sent whole, and what was asked for and cannot be is
// refused.
func TestFormOfWhatIsStreamed(t *testing.T) {
	plain := driver.TableOptions{Indexes: []driver.Index{{Name: "old"}}}
	odd := driver.TableOptions{
		Compression: map[string]string{
			"class": "org.apache.cassandra.io.compress.DeflateCompressor",
		},
		Indexes: []driver.Index{{Name: "old"}, {Name: "new", Class: "sai"}},
	}
	const packed, indexed = "the table is compressed by DeflateCompressor, which is not written here", "index new is of sai, which fails if it is sent entire SSTables"
	for _, tc := range []struct {
		name, via, stream string
		options           driver.TableOptions
		others            []string
		whole             bool
		why, refused      string
	}{
		{"a plain table", spec.ViaStream, spec.StreamAuto, plain, nil, true, "", ""},
		{"rows are asked for", spec.ViaStream, spec.StreamRows, odd, []string{"a"}, false, "", ""},
		{"all that there is", spec.ViaStream, spec.StreamAuto, odd, []string{"a"}, false, packed + "; " + indexed + "; node a writes SSTables of another version than nb", ""},
		{"two nodes", spec.ViaStream, spec.StreamAuto, plain, []string{"a", "b"}, false, "node a and 1 other write SSTables of another version than nb", ""},
		{"three nodes", spec.ViaStream, spec.StreamAuto, plain, []string{"a", "b", "c"}, false, "node a and 2 others write SSTables of another version than nb", ""},
		{"whole is asked for", spec.ViaStream, spec.StreamWhole, plain, nil, true, "", ""},
		{"whole is asked for, and cannot be", spec.ViaStream, spec.StreamWhole, odd, nil, false, "", "--stream whole: " + packed + "; " + indexed},
		{"in a folder", spec.ViaFiles, spec.StreamAuto, driver.TableOptions{Indexes: odd.Indexes}, nil, true, "", ""},
		{"in a folder, not written", spec.ViaFiles, spec.StreamAuto, odd, nil, false, "", "--via sstables: " + packed},
	} {
		l := Delivery{
			Spec:  &spec.Writing{Via: tc.via, Stream: tc.stream},
			Table: &table.Table{Cluster: &topology.Cluster{}},
		}
		f, err := l.ChooseForm(tc.options, component.NB, tc.others)
		if tc.refused != "" {
			require.EqualError(t, err, tc.refused, tc.name)
			continue
		}
		require.NoError(t, err, tc.name)
		require.Equal(t, tc.whole, f.Whole != nil, tc.name)
		require.Equal(t, tc.why, f.Why, tc.name)
	}
}

// What a table's triggers, views and change capture mean is reported of what it has.
func TestWhatRowsPassBy(t *testing.T) {
	all := driver.TableOptions{Triggers: []string{"t"}, Views: []string{"v", "w"}, CDC: true}
	require.Empty(t, PassedBy(driver.TableOptions{}, spec.ViaStream, byImport))
	require.Equal(t, []string{
		"the table has triggers (t), which are not run",
		"the servers write each row once more, for the table's views (v, w) and change capture, which takes them as long as by CQL",
	}, PassedBy(all, spec.ViaStream, byImport))
	require.Equal(
		t,
		[]string{"the table has triggers (t), which are not run"},
		PassedBy(all, spec.ViaFiles, byUpload),
	)
	require.Len(t, PassedBy(all, spec.ViaFiles, byImport), 2)
}
