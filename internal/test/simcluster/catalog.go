package simcluster

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/primitive"
)

// catalog is the tables that there are.
type catalog struct {
	mu      sync.RWMutex
	tables  []*table
	made    uint32 // tables so far
	version uint32 // changes so far
}

// find is a table by its name, nil when there is none.
func (s *catalog) find(keyspace, name string) *table {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, t := range s.tables {
		if t.keyspace == keyspace && t.name == name {
			return t
		}
	}
	return nil
}

func (s *catalog) list() []*table {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.tables)
}

// nextID is the id of a new table.
func (s *catalog) nextID() uuid {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	id := uuid{0: 0x7a, 6: 0x40, 8: 0x80}
	binary.BigEndian.PutUint32(id[12:], s.made)
	return id
}

func (s *catalog) add(t *table) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.tables {
		if other.fullName() == t.fullName() {
			return fmt.Errorf("simcluster: table %s is there already", t.fullName())
		}
	}
	s.tables = append(s.tables, t)
	s.version++
	return nil
}

// remove takes a table away, by its full name; nil when there is none.
func (s *catalog) remove(name string) *table {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, t := range s.tables {
		if t.fullName() == name {
			s.tables = slices.Delete(s.tables, i, i+1)
			s.version++
			return t
		}
	}
	return nil
}

// schemaVersion is the id of the schema as it is now.
func (s *catalog) schemaVersion() []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	id := uuid{0: 0x5c, 6: 0x40, 8: 0x80}
	binary.BigEndian.PutUint32(id[12:], s.version)
	return id[:]
}

// Drop drops a table, by keyspace and name with a dot between, with its rows. What
// is prepared has to be prepared again, and then fails. A table that is not there
// is an error.
func (c *Cluster) Drop(table string) error {
	return c.alter(func() (*tableChange, error) {
		t := c.schema.remove(table)
		if t == nil {
			return nil, fmt.Errorf("simcluster: there is no table %s", table)
		}
		return &tableChange{t, primitive.SchemaChangeTypeDropped}, nil
	})
}

// Truncate removes the rows of a table, by keyspace and name with a dot between, on all
// nodes, and they note when. A table that is not there is an error.
func (c *Cluster) Truncate(table string) error {
	keyspace, name, _ := strings.Cut(table, ".")
	t := c.schema.find(keyspace, name)
	if t == nil {
		return fmt.Errorf("simcluster: there is no table %s", table)
	}
	t.truncate(time.Now())
	for _, n := range c.layout.Load().nodes {
		n.own(t).truncate(time.Now())
	}
	return nil
}

// DropAndAdd records that a column of a table was dropped at a moment, and added again. The values
// that rows have in it stay, other than on a real cluster. A table or a column that is not there is
// an error.
func (c *Cluster) DropAndAdd(table, column string, at time.Time) error {
	keyspace, name, _ := strings.Cut(table, ".")
	t := c.schema.find(keyspace, name)
	if t == nil ||
		!slices.ContainsFunc(t.cols, func(c tableColumn) bool { return c.name == column }) {
		return fmt.Errorf("simcluster: there is no column %s of a table %s", column, table)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dropped == nil {
		t.dropped = make(map[string]time.Time)
	}
	t.dropped[column] = at
	return nil
}

// Create makes a table, with rows made from a seed. The errors are those of the
// tables of [Start].
func (c *Cluster) Create(spec Table, seed uint64) error {
	return c.alter(func() (*tableChange, error) {
		t, err := c.makeTable(spec, rand.New(rand.NewPCG(seed, 2)))
		if err != nil {
			return nil, err
		}
		c.distribute(t)
		return &tableChange{t, primitive.SchemaChangeTypeCreated}, c.schema.add(t)
	})
}

type tableChange struct {
	table *table
	what  primitive.SchemaChangeType
}

func (c *Cluster) alter(change func() (*tableChange, error)) error {
	c.life.Lock()
	defer c.life.Unlock()
	if c.closed {
		return errClosed
	}
	done, err := change()
	if err != nil {
		return err
	}
	c.Unprepare(-1)
	c.emit(schemaEvent(done.table, done.what))
	return nil
}
