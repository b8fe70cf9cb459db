package tablefile

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Check has what Verify requires of an SSTable.
type Check struct {
	// Schema is the table's. The file may have fewer static and regular columns, and no others.
	Schema *sstable.Schema
	// Ranges are where the tokens of all partitions must be, in any order; none: anywhere.
	Ranges []token.Range
	// IndexInterval is the table's min_index_interval, at least 1.
	IndexInterval int
}

// Verified describes an SSTable that is right.
type Verified struct {
	Written
	Stats *component.Stats
}

// Verify reads an entire SSTable and proves that it is complete and correct, so that a server can
// be given it. It returns the first error. It refuses a version that cannot be written. It checks:
//
//   - that all components exist that the SSTable names;
//   - the checksums of chunks, of blocks and of Data.db;
//   - that the columns are the table's;
//   - that keys, tokens, clusterings and elements ascend, and that tokens are in their ranges;
//   - that Index.db has the right place of each partition and block;
//   - that the filter has every key;
//   - that the summary is that of the index;
//   - that bounds and counts of the statistics are those of the rows;
//   - that the statistics have no level and no repairs.
//
// It takes as much memory as a Writer.
func Verify(f Files, check Check) (*Verified, error) {
	v := &verifier{
		tableFiles: tableFiles{f},
		check:      check,
		sizes:      make(map[component.Kind]int64),
	}
	if err := v.run(); err != nil {
		return nil, fmt.Errorf("%s: %w", v.base(), err)
	}
	return &Verified{
		Written: Written{
			Descriptor: f.Descriptor(),
			Sizes:      v.sizes,
			Partitions: v.partitions,
			Rows:       v.table.statistics.Stats.Rows,
			DataLength: v.table.Length(),
			First:      v.summary.First,
			Last:       v.summary.Last,
		},
		Stats: v.table.statistics.Stats,
	}, nil
}

// verifier is a Verify under way.
type verifier struct {
	tableFiles
	check Check
	sizes map[component.Kind]int64
	table *Reader

	filter  *component.Filter // nil: none
	hashed  component.Hashes  // keys that the filter was not asked for yet
	index   *component.IndexReader
	summary *component.Summary // as it should be
	keys    component.Cardinality
	collect *collector
	bounds  clusteringBounds

	partitions int64
	last       token.Token   // of the partition before
	ranges     []token.Range // by where they start, without those that end before last
	at         partitionCheck
}

func (v *verifier) run() (err error) {
	if err := checkInterval(v.check.IndexInterval); err != nil {
		return err
	}
	if err := v.version().CheckWritable(); err != nil {
		return err
	}
	if err := v.components(); err != nil {
		return err
	}
	v.table = &Reader{tableFiles: v.tableFiles}
	defer func() { err = errors.Join(err, v.table.Close()) }()
	if err := v.table.open(); err != nil {
		return err
	}
	if err := v.header(); err != nil {
		return err
	}
	if err := v.readFilter(); err != nil {
		return err
	}
	index, err := v.files.Open(component.IndexDB)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	v.index = component.NewIndexReader(sequential(index))
	v.summary, v.collect = component.NewSummary(v.check.IndexInterval), newCollector()
	v.bounds = clusteringBounds{schema: v.table.codec.Schema()}
	v.ranges = slices.SortedFunc(
		slices.Values(v.check.Ranges),
		func(a, b token.Range) int { return a.Start.Compare(b.Start) },
	)
	if err := v.readPartitions(); err != nil {
		return err
	}
	if err := v.digest(); err != nil {
		return err
	}
	if err := v.summaryOf(); err != nil {
		return err
	}
	return v.stats()
}

// components holds what there is against TOC.txt.
func (v *verifier) components() error {
	toc, err := v.readWhole(component.TOCTxt)
	if err != nil {
		return err
	}
	named, err := component.ParseTOC(toc)
	if err != nil {
		return err
	}
	for _, c := range []component.Kind{
		component.DataDB,
		component.IndexDB,
		component.StatisticsDB,
		component.SummaryDB,
		component.DigestCRC32,
		component.TOCTxt,
	} {
		if !slices.Contains(named, c) {
			return fmt.Errorf("%s does not name %s", component.TOCTxt, c)
		}
	}
	for _, c := range named {
		size, err := v.sizeOf(c)
		if err != nil {
			return fmt.Errorf("%s, which %s names: %w", c, component.TOCTxt, err)
		}
		v.sizes[c] = size
	}
	for _, c := range []component.Kind{
		component.FilterDB,
		component.CompressionInfoDB,
		component.CRCDB,
	} {
		if _, err := v.sizeOf(c); err == nil && !slices.Contains(named, c) {
			return fmt.Errorf("%s does not name %s, which is there", component.TOCTxt, c)
		}
	}
	return nil
}

// sizeOf returns the size of a component.
func (v *verifier) sizeOf(c component.Kind) (int64, error) {
	file, err := v.files.Open(c)
	if err != nil {
		return 0, err
	}
	return file.Size(), file.Close()
}

// readFilter reads Filter.db.
func (v *verifier) readFilter() error {
	b, ok, err := v.readIfThere(component.FilterDB)
	switch chance := v.table.statistics.FilterChance; {
	case err != nil:
		return err
	case !ok && chance != component.NoFilter:
		return fmt.Errorf(
			"%s is missing, where the chance of a false positive is %v",
			component.FilterDB,
			chance,
		)
	case ok:
		v.filter, err = component.ParseFilter(b, v.version())
	}
	return err
}

// digest reads what is left of Data.db and holds it against Digest.crc32.
func (v *verifier) digest() error {
	b, err := v.readWhole(component.DigestCRC32)
	if err != nil {
		return err
	}
	digest, err := component.ParseDigest(b)
	if err != nil {
		return err
	}
	return v.table.data.finish(digest)
}

// header holds the columns of the file against those of the table.
func (v *verifier) header() error {
	if partitioner := v.table.statistics.Partitioner; partitioner != component.Murmur3Partitioner {
		return fmt.Errorf(
			"partitioner %.100q, where %s is read",
			partitioner,
			component.Murmur3Partitioner,
		)
	}
	have, want := v.table.codec.Schema().Table(), v.check.Schema.Table()
	if err := sameKeys("partition key", have.Key, want.Key); err != nil {
		return err
	}
	if err := sameKeys("clustering", have.Clustering, want.Clustering); err != nil {
		return err
	}
	if err := knownColumns("static", have.Statics, want.Statics); err != nil {
		return err
	}
	return knownColumns("regular", have.Regulars, want.Regulars)
}

// sameKeys fails unless columns are of the types of a table's key columns.
func sameKeys(what string, have, want []sstable.Column) error {
	if len(have) != len(want) {
		return fmt.Errorf(
			"%d columns of the %s, where the table has %d",
			len(have),
			what,
			len(want),
		)
	}
	for i := range have {
		if a, b := have[i].Type.StoredClass(), want[i].Type.StoredClass(); a != b ||
			have[i].Desc != want[i].Desc {
			return fmt.Errorf(
				"column %d of the %s is %.200s, descending %t, where the table has %.200s, %t",
				i+1,
				what,
				a,
				have[i].Desc,
				b,
				want[i].Desc,
			)
		}
	}
	return nil
}

// knownColumns fails unless each column is one of a table's.
func knownColumns(what string, have, known []sstable.Column) error {
	for _, column := range have {
		i := slices.IndexFunc(known, func(c sstable.Column) bool { return c.Name == column.Name })
		if i < 0 {
			return fmt.Errorf("%s column %.100q is not one of the table", what, column.Name)
		}
		if a, b := column.Type.StoredClass(), known[i].Type.StoredClass(); a != b {
			return fmt.Errorf(
				"%s column %.100q is %.200s, where the table has %.200s",
				what,
				column.Name,
				a,
				b,
			)
		}
	}
	return nil
}

// summaryOf holds Summary.db against the index.
func (v *verifier) summaryOf() error {
	b, err := v.readWhole(component.SummaryDB)
	if err != nil {
		return err
	}
	have, err := component.ParseSummary(b)
	if err != nil {
		return err
	}
	want := v.summary
	if have.Interval != want.Interval || have.Sampling != want.Sampling ||
		have.FullSize != want.FullSize ||
		len(have.Entries) != len(want.Entries) {
		return fmt.Errorf(
			"%s has %d of %d entries, one for each %d keys, where %d, for each %d, are right",
			component.SummaryDB,
			len(have.Entries),
			have.FullSize,
			have.Interval,
			len(want.Entries),
			want.Interval,
		)
	}
	for i, e := range want.Entries {
		if string(have.Entries[i].Key) != string(e.Key) || have.Entries[i].Position != e.Position {
			return fmt.Errorf(
				"%s has key %x at %d as entry %d, where %x at %d is right",
				component.SummaryDB,
				clip(have.Entries[i].Key),
				have.Entries[i].Position,
				i,
				clip(e.Key),
				e.Position,
			)
		}
	}
	if string(have.First) != string(want.First) || string(have.Last) != string(want.Last) {
		return fmt.Errorf(
			"%s is from key %x to %x, where %x to %x is right",
			component.SummaryDB,
			clip(have.First),
			clip(have.Last),
			clip(want.First),
			clip(want.Last),
		)
	}
	return nil
}

// atEnd fails unless the index ends with the data.
func (v *verifier) atEnd() error {
	e, err := v.index.Next()
	switch {
	case err == nil:
		return fmt.Errorf(
			"%s has key %x at %d, behind the last partition",
			component.IndexDB,
			clip(e.Key),
			e.Position,
		)
	case err != io.EOF:
		return fmt.Errorf("%s: %w", component.IndexDB, err)
	case v.partitions == 0:
		return fmt.Errorf("%s has no partitions", component.DataDB)
	default:
		return nil
	}
}
