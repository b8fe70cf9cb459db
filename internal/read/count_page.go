package read

import (
	"context"
	"errors"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

const (
	// countPage is the page size of a count, in rows: servers read that many rows at a time while
	// they count.
	countPage = 5000
	// gentleCountPage is that where a latency is to be kept.
	gentleCountPage = 500
	// countPageBytes is the limit of the rows of such a page, in bytes. A server holds the entire
	// page in memory, and 5,000 rows of 5 MB end a node.
	countPageBytes = 16 << 20
)

// pagesLookedAt are the numbers of rows of the pages that are read to learn how large rows are. The
// first page has one row, because the row may be large.
var pagesLookedAt = []int{1, 9}

// mostSampledRanges is the largest number of vnode ranges in which a first row is searched for. It
// applies if it is not known whether the table has rows: a node may then look through all ranges.
const mostSampledRanges = 4096

// CountPage returns the number of rows of a page of a count. It is smaller for a table with large
// rows, and if gentle is true, because a latency is to be kept.
func CountPage(ctx context.Context, env spec.Environment, t *files.Source, gentle bool) int {
	rows := countPage
	if gentle {
		rows = gentleCountPage
	}
	known := t.Estimate()
	switch {
	case t.Files != nil: // no server reads them
		return rows
	case known.Partitions > 0 && known.Bytes/known.Partitions <= countPageBytes/int64(rows):
		return rows
	case known.Partitions == 0 && t.Plan.Ranges() > mostSampledRanges:
		return rows
	}
	size, err := largestRow(ctx, t.Table)
	if err != nil {
		env.Logf("the size of rows is not known: %v", err)
	}
	if size > 0 {
		rows = int(min(int64(rows), max(countPageBytes/size, 1)))
	}
	return rows
}

// largestRow returns the size of the largest of a few of the table's rows, in bytes; 0: it is not
// known.
func largestRow(ctx context.Context, t *table.Table) (most int64, err error) {
	all, err := t.Schema.Selectors(nil)
	if err != nil {
		return 0, err
	}
	reader := t.Session.Reader(t.Schema, driver.Columns(all), nil)
	defer t.Session.Reserve(countPageBytes)()
	var state []byte
	for _, rows := range pagesLookedAt {
		page, err := reader.Page(ctx, "", token.Range{}, state, rows)
		if large := (*fault.LargeError)(nil); errors.As(err, &large) {
			return max(most, large.Bytes/int64(rows)), nil
		}
		if err != nil {
			return most, err
		}
		for page.Next() {
			var size int64
			for _, cell := range page.Cells() {
				size += int64(len(cell))
			}
			most = max(most, size)
		}
		state, err = page.State(), page.Err()
		page.Close()
		if err != nil || len(state) == 0 {
			return most, err
		}
	}
	return most, nil
}
