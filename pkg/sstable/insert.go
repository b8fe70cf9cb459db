package sstable

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// State is the kind of a Value.
type State uint8

const (
	// Unset leaves the column as it is.
	Unset State = iota
	// Null deletes the column's value.
	Null
	// Set writes Bytes, which may be empty.
	Set
)

// Value is what an INSERT has for a column, in the CQL wire format. It is taken to be one that a
// server would not refuse (cqlwire.Layout.CheckAs); one that cannot be written is an error.
type Value struct {
	Bytes []byte
	State State
}

// Insert is one INSERT statement, or an UPDATE that sets whole columns.
type Insert struct {
	Values    []Value // in the order of the columns that NewInserter got
	Timestamp int64   // microseconds since the epoch
	// of elements of lists, in microseconds since the epoch: no other statement has it; 0:
	// Timestamp
	Place int64
	TTL   int32 // seconds; 0: what is written does not expire
	// when it is written, in seconds since the epoch: the base of expiries and deletions
	Now int64
	// Update makes no marker of a row, as an UPDATE makes none: the row is there as long as it has
	// cells.
	Update bool
}

// InsertOptions say how an Inserter differs from the server's INSERT.
type InsertOptions struct {
	// AppendCollections adds the elements of a collection or a user type that is not frozen to
	// those that there are, instead of replacing them. Null still deletes them.
	AppendCollections bool
	// Delete has the row deleted by its primary key, as a DELETE of the row does. The statement's
	// columns are those of the key, and the last clustering columns may be missing. Then the row
	// stands for the deletion of all rows that have its values. Its missing values are null. A row
	// without clustering values stands for the deletion of its partition.
	Delete bool
}

// maxClusteringBytes is the most bytes that the values of a clustering may have
// (ClusteringPrefix.validate).
const maxClusteringBytes = math.MaxUint16

// maxTTL is the longest time to live, in seconds: 20 years (Attributes.MAX_TTL).
const maxTTL = 20 * 365 * 24 * 60 * 60

// Inserter makes rows of INSERT statements on one list of columns. The rows are what the server
// would write (UpdateStatement, UpdateParameters) if all values are bound, each as a whole. It is
// not safe for concurrent use.
type Inserter struct {
	codec      *Codec
	options    InsertOptions
	columns    int
	key        []insertColumn
	clustering []insertColumn
	statics    []insertColumn // ordered as in a row
	regulars   []insertColumn

	buf         []byte // of paths, and of values that are not stored as they come
	keys        []byte // the same for partition keys
	components  [][]byte
	static, row Row
	part        Row // of several statements
	merger      [2]*Merger
}

// insertColumn is a column of the statement.
type insertColumn struct {
	*columnPlan
	value  int // its place among the statement's columns
	column int // in the schema, among those of its kind
}

// NewInserter plans statements on columns of the codec's schema, in the order of Insert.Values. All
// key columns must be among them; the clustering columns, together, only where there are no static
// columns or some regular ones. Tables with counters are refused, and columns of classes that have
// no name in CQL.
func NewInserter(c *Codec, columns []string, o InsertOptions) (*Inserter, error) {
	s := c.schema
	in := &Inserter{
		codec:   c,
		options: o,
		columns: len(columns),
		merger:  [2]*Merger{NewMerger(s), NewMerger(s)},
	}
	planned := 0
	for _, kind := range []struct {
		columns []Column
		plans   []columnPlan
		out     *[]insertColumn
	}{
		{s.table.Key, s.key, &in.key}, {s.table.Clustering, s.clustering, &in.clustering},
		{s.table.Statics, s.statics, &in.statics}, {s.table.Regulars, s.regulars, &in.regulars},
	} {
		for i, column := range kind.columns {
			if column.Type.Kind == cqltype.Counter {
				return nil, fmt.Errorf(
					"column %.100q is a counter, which only a server can write",
					column.Name,
				)
			}
			at := slices.Index(columns, column.Name)
			if at < 0 {
				continue
			}
			if !kind.plans[i].layout.Checkable() {
				return nil, fmt.Errorf(
					"column %.100q is of %s, whose values only a server can check",
					column.Name,
					column.Type,
				)
			}
			if o.Delete && (kind.out == &in.statics || kind.out == &in.regulars) {
				return nil, fmt.Errorf("column %.100q is not of the key of a deleted row", column.Name)
			}
			planned++
			*kind.out = append(
				*kind.out,
				insertColumn{columnPlan: &kind.plans[i], value: at, column: i},
			)
		}
	}
	switch {
	case planned != len(columns):
		return nil, fmt.Errorf(
			"of the columns %.200q some are not those of the table, or come twice",
			columns,
		)
	case len(in.key) < len(s.key):
		return nil, errors.New("columns of the partition key are missing")
	case o.Delete:
		for i, c := range in.clustering {
			if c.column != i {
				return nil, errors.New("clustering columns before others are missing")
			}
		}
	case len(in.clustering) < len(s.clustering) &&
		(len(in.clustering) > 0 || len(in.statics) == 0 || len(in.regulars) > 0):
		return nil, errors.New("clustering columns are missing")
	}
	return in, nil
}

// AppendKey appends the partition key of a statement, as the server stores it.
func (in *Inserter) AppendKey(dst []byte, values []Value) ([]byte, error) {
	if len(values) != in.columns {
		return dst, in.errValues(len(values))
	}
	components := in.components[:0]
	in.keys = in.keys[:0]
	for i := range in.key {
		value, err := in.key[i].keyValue(&in.keys, values)
		if err != nil {
			return dst, err
		}
		if len(value) > token.MaxKeyLen {
			return dst, errKeyLen(len(value))
		}
		components = append(components, value)
	}
	in.components = components
	mark := len(dst)
	dst = token.AppendKey(dst, components...)
	if n := len(dst) - mark; n == 0 || n > token.MaxKeyLen {
		return dst[:mark], errKeyLen(n)
	}
	return dst, nil
}

func (in *Inserter) errValues(n int) error {
	return fmt.Errorf("%d values, where the statement has %d columns", n, in.columns)
}

func errKeyLen(n int) error {
	return fmt.Errorf("a partition key of %d bytes, where 1 to %d are allowed", n, token.MaxKeyLen)
}

// keyValue gives the value of a key column, which may be a part of buf.
func (c *insertColumn) keyValue(buf *[]byte, values []Value) ([]byte, error) {
	v := values[c.value]
	if v.State != Set {
		return nil, fmt.Errorf("key column %.100q has no value", c.name)
	}
	return c.canonical(buf, v.Bytes)
}

// canonical gives a value as the server stores it: itself, or what is appended to buf. Of a
// clustering column in descending order that is always the former: to the server
// (cql3.AbstractMarker.Raw.prepare) its type, ReversedType, is no collection.
func (c *insertColumn) canonical(buf *[]byte, wire []byte) ([]byte, error) {
	if wire == nil {
		wire = emptyValue
	}
	if c.desc || c.order.Canonical() {
		return wire, nil
	}
	from := len(*buf)
	var err error
	if *buf, err = c.order.AppendCanonical(*buf, wire); err != nil {
		return nil, fmt.Errorf("column %.100q: %w", c.name, err)
	}
	return (*buf)[from:len(*buf):len(*buf)], nil
}

// Insert makes the rows that statements of one primary key write. They are merged like those of one
// batch. If no static column is written, static is nil. If the statements have no clustering values
// and write only static columns, row is nil. Both may be read until the next call, and have parts
// of the values in them. Errors name the column.
func (in *Inserter) Insert(statements ...Insert) (static, row *Row, err error) {
	in.buf = in.buf[:0]
	for i := range statements {
		st := &statements[i]
		if len(st.Values) != in.columns {
			return nil, nil, in.errValues(len(st.Values))
		}
		expiry, err := in.expiry(st)
		if err != nil {
			return nil, nil, err
		}
		whole, err := in.wholeClustering(st.Values)
		if err != nil {
			return nil, nil, err
		}
		if in.sets(in.statics, st.Values) {
			if static, err = in.add(0, &in.static, static, st, expiry); err != nil {
				return nil, nil, err
			}
		}
		if whole {
			if row, err = in.add(1, &in.row, row, st, expiry); err != nil {
				return nil, nil, err
			}
		} else if static == nil || in.values(in.regulars, st.Values) {
			return nil, nil, errors.New(
				"a row without clustering columns writes static columns, and no others",
			)
		}
	}
	if row != nil && row.Empty() { // an update that adds no elements to collections
		row = nil
	}
	return static, row, nil
}

// add makes the static row of a statement, or the other one, in room, or merges it with those of
// the statements before.
func (in *Inserter) add(merger int, room, before *Row, st *Insert, expiry int64) (*Row, error) {
	if before == nil {
		return room, in.build(room, room == &in.static, st, expiry)
	}
	if err := in.build(&in.part, room == &in.static, st, expiry); err != nil {
		return nil, err
	}
	m := in.merger[merger]
	if before == room {
		m.Reset(Deletion{})
		m.Add(room)
	}
	m.Add(&in.part)
	return m.Row(), nil
}

// values reports whether a statement has a value for some of the columns, be it an empty one.
func (in *Inserter) values(columns []insertColumn, values []Value) bool {
	for i := range columns {
		if values[columns[i].value].State == Set {
			return true
		}
	}
	return false
}

// sets reports whether a statement writes some of the columns.
func (in *Inserter) sets(columns []insertColumn, values []Value) bool {
	for i := range columns {
		if values[columns[i].value].State != Unset {
			return true
		}
	}
	return false
}

// wholeClustering reports whether a statement has its clustering values: all or none. One that has
// none, only nulls perhaps, writes static columns alone, and no nulls of others, which would need a
// row.
func (in *Inserter) wholeClustering(values []Value) (bool, error) {
	set := 0
	for i := range in.clustering {
		if values[in.clustering[i].value].State == Set {
			set++
		}
	}
	if set > 0 && set < len(in.clustering) {
		return false, errors.New("some of the clustering columns have no value")
	}
	if in.options.Delete {
		return set == len(in.clustering), nil
	}
	return set == len(in.codec.schema.clustering), nil
}

// expiry gives when a statement's values expire, 0 for never.
func (in *Inserter) expiry(st *Insert) (int64, error) {
	limit := in.codec.version.MaxExpiry()
	switch {
	case st.Timestamp == noTimestamp:
		return 0, fmt.Errorf("timestamp %d is none that a server takes", st.Timestamp)
	case st.TTL < 0 || st.TTL > maxTTL:
		return 0, fmt.Errorf("TTL of %d seconds, where 0 to %d are allowed", st.TTL, maxTTL)
	case st.Now < 0 || st.Now > limit:
		return 0, fmt.Errorf("second %d of writing is not between 0 and %d", st.Now, limit)
	case st.TTL == 0:
		return 0, nil
	case st.Now+int64(st.TTL) > limit:
		return 0, fmt.Errorf(
			"TTL of %d seconds ends after %s, the latest time that version %s of SSTables can keep",
			st.TTL,
			time.Unix(limit, 0).UTC().Format(time.RFC3339),
			in.codec.version,
		)
	}
	return st.Now + int64(st.TTL), nil
}
