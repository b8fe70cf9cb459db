package simcluster

import (
	"errors"
	"fmt"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// change makes an INSERT or UPDATE, or a batch of such, ready to be carried out.
func (c *conn) change(statements []*statement, values [][]*value, stamp *int64) (*work, error) {
	var w *work
	for i, st := range statements {
		t := c.node.cluster.schema.find(st.keyspace, st.table)
		if t == nil {
			return nil, errUnconfigured(st)
		}
		m, err := st.mutation(t, values[i], stamp)
		if err != nil {
			return nil, err
		}
		if w == nil {
			w = c.work(t.fullName(), st.text)
		}
		w.mutations = append(w.mutations, m)
		w.request.Keys = append(w.request.Keys, m.at)
		w.content = mix(w.content, hashBytes([]byte(st.text), m.raw))
		for _, v := range m.cluster {
			w.content = mix(w.content, hashBytes(v))
		}
	}
	w.request.Rows = len(w.mutations)
	return w, nil
}

// batch makes a batch ready.
func (c *conn) batch(m *message.Batch) (*work, error) {
	var statements []*statement
	var values [][]*value
	for _, child := range m.Children {
		text := child.Query
		if child.Id != nil {
			text = string(child.Id)
		}
		st, err := c.node.cluster.parse(text)
		if err != nil {
			return nil, err
		}
		if st.verb == "select" {
			return nil, said(
				"Invalid statement in batch: only UPDATE, INSERT and DELETE statements are allowed",
			)
		}
		if child.Id != nil && !c.node.knows(text) {
			return nil, &unpreparedError{text}
		}
		statements, values = append(statements, st), append(values, child.Values)
	}
	if len(statements) == 0 {
		return nil, errors.New("simcluster has no use for an empty batch")
	}
	w, err := c.change(statements, values, m.DefaultTimestamp)
	if err != nil {
		return nil, err
	}
	w.level, w.batch = m.Consistency, true
	for _, mutation := range w.mutations {
		if mutation.table.counter != (m.Type == primitive.BatchTypeCounter) {
			return nil, said(
				"Cannot mix counter and non-counter statements in a batch, nor use another type of batch for counters",
			)
		}
	}
	return w, nil
}

// mutation is the row that a statement writes with these values.
func (st *statement) mutation(t *table, values []*value, stamp *int64) (*mutation, error) {
	if err := st.bound(values); err != nil {
		return nil, err
	}
	if t.counter != (st.verb == "update") {
		return nil, fmt.Errorf(
			"simcluster does not %s table %s: counters are updated, and all else is inserted",
			st.verb,
			t.name,
		)
	}
	at, ttl, err := st.using(values, stamp)
	if err != nil {
		return nil, err
	}
	b := newBuilder(t, at)
	b.m.ttl, b.m.inserts = ttl, !t.counter
	if ttl > 0 {
		b.m.expires = time.Now().Unix() + int64(ttl)
	}
	take := func(name string, from term) error {
		i, err := t.find(name)
		if err != nil {
			return err
		}
		c := &t.cols[i]
		v, isSet, err := from.read(c.cql, values)
		switch key := c.kind == PartitionKey || c.kind == Clustering; {
		case err != nil:
			return err
		case !isSet && key:
			return sayf("Invalid unset value for column %s", name)
		case !isSet:
			return nil
		case !key && t.counter && len(v) != 8:
			return said("Invalid null value for counter increment")
		}
		b.set(i, v)
		return nil
	}
	for _, s := range st.sets {
		if err := take(s.column, s.value); err != nil {
			return nil, err
		}
	}
	for _, cond := range st.where {
		if cond.onToken || cond.op != "=" {
			return nil, errors.New("simcluster updates rows by their whole key only")
		}
		if err := take(cond.column, cond.value); err != nil {
			return nil, err
		}
	}
	return b.done()
}

// using is the timestamp and the time to live of a statement: its own, else the
// request's, else now.
func (st *statement) using(values []*value, stamp *int64) (at int64, ttl int, err error) {
	at = time.Now().UnixMicro()
	if stamp != nil {
		at = *stamp
	}
	if st.timestamp != nil {
		v, isSet, err := st.timestamp.read(bigintType, values)
		if err != nil {
			return 0, 0, err
		}
		if isSet {
			if len(v) != 8 {
				return 0, 0, said("Invalid null value of timestamp")
			}
			at = cqlwire.Int(v)
		}
	}
	if st.ttl != nil {
		v, _, err := st.ttl.read(intType, values)
		if err != nil {
			return 0, 0, err
		}
		if len(v) == 4 {
			ttl = int(cqlwire.Int(v))
		}
	}
	return at, ttl, nil
}
