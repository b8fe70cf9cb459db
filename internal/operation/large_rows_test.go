package operation

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// countPage is the number of rows of a page of a count, if rows are small.
const countPage = 5000

// pagesOf is a reader that records the pages of a table.
type pagesOf struct {
	sweep.Reader

	mu      sync.Mutex
	asked   []int // rows
	came    []int // rows of the pages that came, but for those without any
	refused int   // pages that were not taken for their size
}

func (p *pagesOf) Page(
	ctx context.Context,
	host string,
	within token.Range,
	state []byte,
	rows int,
) (row.Page, error) {
	page, err := p.Reader.Page(ctx, host, within, state, rows)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, rows)
	switch {
	case err == nil && page.Rows() > 0:
		p.came = append(p.came, page.Rows())
	case errors.As(err, new(*fault.LargeError)):
		p.refused++
	}
	return page, err
}

// albums is a table of one partition, whose rows have bodies of these sizes.
func albums(sizes ...int) simcluster.Table {
	t := simcluster.Table{Name: "albums", Columns: []simcluster.Column{
		{
			Name: "id",
			Kind: simcluster.PartitionKey,
			Type: "text",
		},
		{Name: "number", Kind: simcluster.Clustering, Type: "int"},
		{Name: "body", Type: "text"},
	}}
	text := []byte(strings.Repeat("a", 16_000_000))
	for i, size := range sizes {
		t.Data = append(
			t.Data,
			[][]byte{
				[]byte("one"),
				binary.BigEndian.AppendUint32(nil, uint32(i)),
				text[:size:size],
			},
		)
	}
	return t
}

// The first pages of a scan have few rows. A page in which large rows follow small ones is refused.
// With a quarter of 64 MiB for pages, no page has more than three rows of 5 MB.
func TestScanOfLargeRows(t *testing.T) {
	const small, large = 60, 12
	var sizes []int
	for range small {
		sizes = append(sizes, 500)
	}
	for range large {
		sizes = append(sizes, 5_000_000)
	}
	s := openShopOn(t, simcluster.Options{Cores: 1, Tables: []simcluster.Table{albums(sizes...)}})
	settings := spec.NewScan()
	settings.Connection = s.connection
	settings.TableName = spec.TableName{
		Keyspace: "shop",
		Table:    "albums",
	}
	settings.Path = "out.csv"
	settings.NoJournal = true
	settings.Memory = setting.Size(64 << 20)
	scan, err := PrepareScan(t.Context(), s.env, *settings)
	require.NoError(t, err)
	defer scan.Close()
	pages := &pagesOf{Reader: scan.job.Reader}
	scan.job.Reader = pages
	report, err := scan.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, run.Done, report.Outcome)
	require.EqualValues(t, small+large, report.Rows)
	require.Zero(t, report.Retries, "a page that is not taken is no failure of its node")

	require.Equal(t, 1, pages.asked[0])
	require.Positive(t, pages.refused)
	at := 0
	for _, rows := range pages.came {
		require.LessOrEqual(t, at+rows-max(at, small), 3, "large rows of a page")
		at += rows
	}
	require.Equal(t, small+large, at)
	info, err := os.Stat("out.csv")
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(large*5_000_000))
}

// Servers read few large rows at a time while they count, and as many small ones as ever.
func TestCountOfLargeRows(t *testing.T) {
	for size, want := range map[int]int{5_000_000: 3, 50: countPage} {
		s := openShopOn(
			t,
			simcluster.Options{
				Cores:  1,
				Tables: []simcluster.Table{albums(size, size, size, size, size)},
			},
		)
		settings := spec.NewCount()
		settings.Connection, settings.TableName = s.connection, spec.TableName{
			Keyspace: "shop",
			Table:    "albums",
		}
		count, err := PrepareCount(t.Context(), s.env, *settings)
		require.NoError(t, err)
		defer count.Close()
		pages := &pagesOf{Reader: count.job.Reader}
		count.job.Reader = pages
		report, err := count.Run(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 5, report.Rows)
		for _, rows := range pages.asked {
			require.Equal(t, want, rows, "rows of %d bytes", size)
		}
	}
}
