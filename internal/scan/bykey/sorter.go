package bykey

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/extsort"
	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/cqlorder"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Sorter takes keys of a table and sorts them. It is a [write.Target]: package ingest reads the
// keys from inputs, and puts them into it.
type Sorter struct {
	table       *schema.Table
	partitioner token.Partitioner
	dir         string
	key         []keyColumn
	sorter      *extsort.Sorter
	finished    chan struct{}
}

// keyColumn is a column of the primary key.
type keyColumn struct {
	schema.Column
	canonical *cqlorder.Order // nil: values are sent as they come
}

// NewSorter returns a sorter of keys of a table. It keeps to about memory bytes, and has files
// without a name in a folder for more. The caller closes it. A nil partitioner is that of a table
// without token ranges.
func NewSorter(
	t *schema.Table,
	p token.Partitioner,
	memory int64,
	dir string,
) (*Sorter, error) {
	s := &Sorter{table: t, partitioner: p, dir: dir, finished: make(chan struct{})}
	if p == nil {
		s.partitioner = token.Murmur3 // of any order: all keys are one range
	}
	for _, c := range t.Key() {
		column := keyColumn{Column: c}
		// In descending order servers take a clustering value as it is sent.
		if !c.Desc {
			order, err := cqlorder.Plan(c.Type)
			if err != nil {
				return nil, fmt.Errorf("column %q: %w", c.Name, err)
			}
			if !order.Canonical() {
				column.canonical = order
			}
		}
		s.key = append(s.key, column)
	}
	s.sorter = extsort.New(extsort.Options{
		Memory:  memory,
		Buffers: buffers,
		Dir:     dir,
		Compare: bytes.Compare,
	})
	return s, nil
}

// buffers is the number of goroutines that can add keys at the same time.
const buffers = 2

// Fields returns a table that the fields of an input fill. Its partition key is that of the keys'
// table. The clustering columns are regular ones, because a key may have only the first of them, or
// none.
func (s *Sorter) Fields() *schema.Table {
	var columns []schema.Column
	for _, c := range s.key {
		column := c.Column
		if c.Kind == schema.Clustering {
			column.Kind, column.Position = schema.Regular, 0
		}
		columns = append(columns, column)
	}
	return schema.New(s.table.Keyspace, s.table.Name, columns)
}

// Close gives the memory and the files back.
func (s *Sorter) Close() error { return s.sorter.Close() }

// Run is a method of [write.Target].
func (s *Sorter) Run(ctx context.Context) error {
	select {
	case <-s.finished:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Finish is a method of [write.Target].
func (s *Sorter) Finish() { close(s.finished) }

// MemoryLow is a method of [write.Target]: no key waits for others.
func (s *Sorter) MemoryLow(bool) {}

// PiecesHeld is a method of [write.Target].
func (s *Sorter) PiecesHeld() int { return 0 }

// Intake is a method of [write.Target].
func (s *Sorter) Intake(columns []schema.Column) write.Intake {
	in := &intake{s: s}
	for _, c := range s.key {
		in.at = append(
			in.at,
			slices.IndexFunc(columns, func(o schema.Column) bool { return o.Name == c.Name }),
		)
	}
	return in
}

// intake takes keys whose cells are those of one list of columns.
type intake struct {
	s  *Sorter
	at []int // by column of the key: its cell; -1: none
}

// Idempotent is a method of [write.Intake].
func (in *intake) Idempotent() bool { return true }

// Put is a method of [write.Intake].
func (in *intake) Put(ctx context.Context, rows []*write.Row) error {
	b, err := in.s.sorter.Take(ctx)
	if err != nil {
		return err
	}
	defer in.s.sorter.Give(b)
	var record []byte
	for _, r := range rows {
		number := uint64(0)
		record, number, err = in.appendRecord(record[:0], &r.Row)
		if err != nil {
			err = r.Tracker.Reject(r, write.Refused, err)
		} else if err = b.Add(number, 0, record); err == nil {
			err = r.Tracker.Written(1, r.Sum)
		}
		if err != nil {
			return err
		}
		r.Tracker.Release(1)
	}
	return nil
}

// PutGroup is a method of [write.Intake].
func (in *intake) PutGroup(ctx context.Context, rows []*write.Row) error {
	return in.Put(ctx, rows)
}

// appendRecord appends the record of a key, and returns the number that it is sorted by: the first
// bits of its token. An error is about the key's values.
func (in *intake) appendRecord(dst []byte, r *row.Row) ([]byte, uint64, error) {
	var values [][]byte
	partition := 0
	for i, c := range in.s.key {
		value, given, err := c.value(r, in.at[i])
		switch {
		case err != nil:
			return dst, 0, err
		case !given && c.Kind == schema.PartitionKey:
			return dst, 0, fmt.Errorf("column %q of the partition key has no value", c.Name)
		case given && len(values) < i:
			return dst, 0, fmt.Errorf(
				"clustering column %q has a value, and %q before it has none",
				c.Name,
				in.s.key[len(values)].Name,
			)
		case given:
			values = append(values, value)
		}
		if c.Kind == schema.PartitionKey {
			partition++
		}
	}
	serialized := token.AppendKey(nil, values[:partition]...)
	if n := len(serialized); n == 0 || n > token.MaxKeyLen {
		return dst, 0, fmt.Errorf(
			"a partition key of %d bytes, where 1 to %d are allowed",
			n,
			token.MaxKeyLen,
		)
	}
	at := in.s.partitioner.Hash(serialized)
	dst = appendToken(dst, at)
	for i, value := range values {
		if i >= partition {
			dst = append(dst, valueComes)
		}
		dst = appendValue(dst, value)
	}
	dst = append(dst, keyEnds)
	if in.s.partitioner == token.Murmur3 {
		return dst, at.Lo, nil // it is the whole token
	}
	return dst, at.Hi, nil
}

// maxValue is the most bytes that a value of a key may have.
const maxValue = 1<<16 - 1

// value returns the value of a column in a row, as servers store it; given is false if there is
// none.
func (c *keyColumn) value(r *row.Row, at int) (value []byte, given bool, err error) {
	if at < 0 || r.Cells[at].State != row.Set {
		return nil, false, nil
	}
	value = r.Cells[at].Bytes
	if c.canonical != nil {
		if value, err = c.canonical.AppendCanonical(nil, value); err != nil {
			return nil, false, fmt.Errorf("column %q: %w", c.Name, err)
		}
	}
	if len(value) > maxValue {
		err = fmt.Errorf("column %q: a value of %d bytes, where at most %d are allowed",
			c.Name, len(value), maxValue)
	}
	return value, true, err
}

// Sorted ends the sorting, and returns the list. It also returns the number of redundant keys,
// which were left out: they came twice, or a shorter key has their rows as well. The caller closes
// the list.
func (s *Sorter) Sorted(ctx context.Context) (list *List, redundant int64, err error) {
	file, err := fsync.Nameless(s.dir, "cqlbulk-keys-*")
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	out := bufio.NewWriterSize(file, blockBytes)
	partition := len(s.table.OfKind(schema.PartitionKey))
	var framed, record, last []byte // last is the record of the list's last key
	for _, m := range s.sorter.Merges() {
		for m.Next() {
			if ctx.Err() != nil {
				return nil, 0, context.Cause(ctx)
			}
			if record, err = m.AppendRecord(record[:0]); err != nil {
				return nil, 0, err
			}
			// The last key has the rows of those that begin with its values.
			if n := len(last) - 1; n > 0 && bytes.HasPrefix(record, last[:n]) {
				redundant++
				continue
			}
			last = append(last[:0], record...)
			framed = appendValue(framed[:0], record)
			if _, err := out.Write(framed); err != nil {
				return nil, 0, err
			}
		}
		if err := m.Err(); err != nil {
			return nil, 0, err
		}
	}
	if err := out.Flush(); err != nil {
		return nil, 0, err
	}
	list, err = readList(file, partition)
	return list, redundant, err
}
