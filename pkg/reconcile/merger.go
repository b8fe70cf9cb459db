package reconcile

import (
	"bytes"
	"errors"
	"io"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Table is what sources are made one for.
type Table struct {
	// Schema has the present columns of the table, with their names. Rows are returned in it.
	Schema *sstable.Schema
	// Dropped are the columns that were dropped, those too that the table has again. What an
	// SSTable has of one that the table does not have is left out.
	Dropped []Dropped
	// Partitioner is that of the cluster. nil means token.Murmur3.
	Partitioner token.Partitioner
	// StrictLiveness is true for a materialized view whose key has a column that is not in the key
	// of its base table. In it, cells alone do not make a row (View.enforceStrictLiveness,
	// CASSANDRA-11500).
	StrictLiveness bool
}

// Merger merges several sources, and is itself a sstable.Source. It returns no empty partition and
// no row without content. None of its ranges of deleted rows is empty, or beside another one with
// the same deletion.
type Merger struct {
	schema      *sstable.Schema
	partitioner token.Partitioner
	statics     bool
	strict      bool // Table.StrictLiveness
	sources     []*source
	err         error

	partitions heap      // the sources that are at the start of a partition
	items      heap      // those that are at a row or a marker of the partition that is open
	same       []*source // those that have the partition that is open
	passed     []*source // those whose item was returned, and which must advance

	started   bool         // there was a partition
	open      bool         // there is one
	staticDue bool         // its static row is next
	found     sstable.Item // and then this one; 0: one that is still to be found
	token     token.Token
	key       []byte
	deletion  sstable.Deletion
	deleted   sstable.Deletion // of the range that is open in what is given
	last      place            // of the row or marker that was read last

	static, row *sstable.Merger
	staticRow   *sstable.Row
	given       *sstable.Row // that Row returns
	regular     *sstable.Row // that was found
	marker      sstable.Marker
}

// NewMerger plans how to merge sources. Its error names a column that is neither in the table nor
// dropped, or that differs between the table and a source. It may differ in its type, frozen or
// not, static or not, or in its clustering order.
func NewMerger(t *Table, inputs []Input) (*Merger, error) {
	m := &Merger{
		schema:      t.Schema,
		partitioner: t.Partitioner,
		statics:     len(t.Schema.Table().Statics) > 0,
		strict:      t.StrictLiveness,
		static:      sstable.NewMerger(t.Schema),
		row:         sstable.NewMerger(t.Schema),
	}
	if m.partitioner == nil {
		m.partitioner = token.Murmur3
	}
	dropped := make(map[string]int64, len(t.Dropped))
	for _, d := range t.Dropped {
		if before, ok := dropped[d.Name]; !ok || d.Time > before {
			dropped[d.Name] = d.Time
		}
	}
	for _, in := range inputs {
		s := &source{name: in.Name, from: in.Source, schema: in.Schema}
		stored, table := in.Schema.Table(), t.Schema.Table()
		err := checkKey(stored, table)
		if err == nil {
			s.statics, err = planColumns(stored.Statics, table.Statics, table.Regulars, dropped)
		}
		if err == nil {
			s.regulars, err = planColumns(stored.Regulars, table.Regulars, table.Statics, dropped)
		}
		if err != nil {
			return nil, s.failed(err)
		}
		m.sources = append(m.sources, s)
	}
	m.partitions.compare = comparePartitions
	m.items.compare = func(a, b *source) int {
		valuesA, kindA := a.place()
		valuesB, kindB := b.place()
		return m.schema.ComparePrefixes(valuesA, kindA, valuesB, kindB)
	}
	return m, nil
}

// Schema returns the schema of the rows, which is the table's.
func (m *Merger) Schema() *sstable.Schema { return m.schema }

// Token is that of the partition.
func (m *Merger) Token() token.Token { return m.token }

// Key returns the key of the partition, until the next one begins.
func (m *Merger) Key() []byte { return m.key }

// Deletion returns the deletion of the partition.
func (m *Merger) Deletion() sstable.Deletion { return m.deletion }

// Row returns the row. It may be read until the next call of Next.
func (m *Merger) Row() *sstable.Row { return m.given }

// Marker returns the marker. It may be read until the next call of Next.
func (m *Merger) Marker() *sstable.Marker { return &m.marker }

// Next reads the next item, as sstable.Decoder.Next does: a static row comes with each partition
// where the table has static columns, empty or not. After the last partition the error is io.EOF.
// Other errors name the source where they are of one: what it cannot read, or that it is not in
// order. There is nothing to be read after an error.
func (m *Merger) Next() (sstable.Item, error) {
	if m.err != nil {
		return 0, m.err
	}
	item, err := m.next()
	if err != nil {
		m.err = err
	}
	return item, err
}

func (m *Merger) next() (sstable.Item, error) {
	if !m.open {
		return m.partition()
	}
	if m.staticDue {
		m.staticDue = false
		m.given = m.staticRow
		return sstable.StaticRow, nil
	}
	item := m.found
	if item == 0 {
		var err error
		if item, err = m.find(); err != nil {
			return 0, err
		}
	}
	m.found = 0
	switch item {
	case sstable.RegularRow:
		m.given = m.regular
	case sstable.PartitionEnd:
		m.open = false
	}
	return item, nil
}

// errOrder says that a source is not in order.
var errOrder = errors.New("partitions or rows are not in their order, or come twice")

// errOpen says that a range continues behind the end of its partition.
var errOpen = errors.New("a range of deleted rows does not end within its partition")

// emptyStatic is the static row of a partition that has none.
var emptyStatic = sstable.Row{Static: true}

// partition begins the next partition that has something in it.
func (m *Merger) partition() (sstable.Item, error) {
	for {
		if err := m.nextPartition(); err != nil {
			return 0, err
		}
		if err := m.readStatic(); err != nil {
			return 0, err
		}
		m.staticDue, m.found = m.statics, 0
		if !m.deletion.Set && m.staticRow == &emptyStatic {
			var err error
			if m.found, err = m.find(); err != nil {
				return 0, err
			}
			if m.found == sstable.PartitionEnd {
				continue
			}
		}
		m.open = true
		return sstable.PartitionStart, nil
	}
}

// nextPartition finds the sources that have the next partition, and reads its key and deletion.
func (m *Merger) nextPartition() error {
	behind := m.same
	if !m.started {
		behind = m.sources
	}
	for _, s := range behind {
		ok, err := s.next()
		if err != nil {
			return err
		}
		if ok {
			s.token = m.partitioner.Hash(s.from.Key())
			m.partitions.push(s)
		}
	}
	m.same = m.same[:0]
	if m.partitions.empty() {
		return io.EOF
	}
	top := m.partitions.top()
	if order := top.token.Compare(m.token); m.started &&
		(order < 0 || order == 0 && bytes.Compare(top.from.Key(), m.key) <= 0) {
		return top.failed(errOrder)
	}
	m.started = true
	m.token, m.deletion = top.token, sstable.Deletion{}
	m.key = append(m.key[:0], top.from.Key()...)
	for !m.partitions.empty() {
		s := m.partitions.top()
		if s.token != m.token || !bytes.Equal(s.from.Key(), m.key) {
			break
		}
		m.partitions.pop()
		if d := s.from.Deletion(); d.Supersedes(m.deletion) {
			m.deletion = d
		}
		m.same = append(m.same, s)
	}
	m.deleted, m.last.set = sstable.Deletion{}, false
	return nil
}

// readStatic advances to the first items of the partition's sources, and merges their static rows.
func (m *Merger) readStatic() error {
	m.items.reset()
	m.passed = m.passed[:0]
	for _, s := range m.same {
		if _, err := s.next(); err != nil {
			return err
		}
		switch s.item {
		case sstable.StaticRow:
			m.passed = append(m.passed, s)
		case sstable.PartitionEnd:
		default:
			m.items.push(s)
		}
	}
	m.staticRow = &emptyStatic
	if len(m.passed) == 0 {
		return nil
	}
	r, err := m.mergeRows(m.static, m.deletion)
	if err == nil && !r.Empty() {
		m.staticRow = r
	}
	return err
}

// find advances to the next item of the partition behind its static row: a row or a marker with
// content, or the end.
func (m *Merger) find() (sstable.Item, error) {
	for {
		for _, s := range m.passed {
			if err := m.pass(s); err != nil {
				return 0, err
			}
		}
		m.passed = m.passed[:0]
		if m.items.empty() {
			for _, s := range m.same {
				if s.open.Set {
					return 0, s.failed(errOpen)
				}
			}
			return sstable.PartitionEnd, nil
		}
		top := m.items.top()
		values, kind := top.place()
		order := 1
		if m.last.set {
			order = m.schema.ComparePrefixes(values, kind, m.last.values, m.last.kind)
		}
		if order < 0 || order == 0 && kind == sstable.RowKind {
			return 0, top.failed(errOrder)
		}
		m.last.keep(values, kind)
		if kind != sstable.RowKind {
			changed, err := m.mergeMarkers(m.items.pop())
			if err != nil {
				return 0, err
			}
			if changed {
				return sstable.RangeMarker, nil
			}
			continue
		}
		m.passed = append(m.passed, m.items.pop())
		for m.atLast() {
			m.passed = append(m.passed, m.items.pop())
		}
		active := m.deletion
		if m.deleted.Set {
			active = m.deleted
		}
		r, err := m.mergeRows(m.row, active)
		if err != nil {
			return 0, err
		}
		if !r.Empty() {
			m.regular = r
			return sstable.RegularRow, nil
		}
	}
}

// atLast reports whether the next item of the sources is at the place of the last one.
func (m *Merger) atLast() bool {
	if m.items.empty() {
		return false
	}
	values, kind := m.items.top().place()
	return m.schema.ComparePrefixes(values, kind, m.last.values, m.last.kind) == 0
}

// pass advances by one item within the partition.
func (m *Merger) pass(s *source) error {
	if _, err := s.next(); err != nil {
		return err
	}
	if s.item != sstable.PartitionEnd {
		m.items.push(s)
	}
	return nil
}

// mergeRows makes one row of those that the passed sources are at.
func (m *Merger) mergeRows(to *sstable.Merger, active sstable.Deletion) (*sstable.Row, error) {
	strongest := active
	for _, s := range m.passed {
		if d := s.from.Row().Deletion; d.Supersedes(strongest) {
			strongest = d
		}
	}
	to.Reset(active)
	for _, s := range m.passed {
		r, err := s.row(strongest)
		if err != nil || len(m.passed) == 1 && !strongest.Set && len(r.Deletions) == 0 {
			return r, err // nothing is to be left out
		}
		to.Add(r)
	}
	return to.Row(), nil
}
