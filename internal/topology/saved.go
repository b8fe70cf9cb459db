package topology

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Saved is a cluster at one moment, with the replication of its keyspaces. A file holds it for
// commands that cannot connect to the cluster.
type Saved struct {
	Cluster
	At       time.Time
	ScyllaDB bool // else it is one of Cassandra
	// replication options (system_schema.keyspaces.replication), by name
	Keyspaces map[string]map[string]string
}

// The form of such a file, in JSON. Tokens are texts, since a number of JSON is not as exact
// everywhere.
type savedFile struct {
	Format      int                          `json:"format"`
	At          time.Time                    `json:"at"`
	Cluster     string                       `json:"cluster"`
	Server      string                       `json:"server"`
	Partitioner string                       `json:"partitioner"`
	Datacenter  string                       `json:"datacenter"` // that was spoken to
	Nodes       []savedNode                  `json:"nodes"`
	Keyspaces   map[string]map[string]string `json:"keyspaces"`
}

type savedNode struct {
	ID         string   `json:"id"`
	Address    string   `json:"address"`
	Datacenter string   `json:"datacenter"`
	Rack       string   `json:"rack"`
	Version    string   `json:"version"`
	Tokens     []string `json:"tokens"`
}

// savedFormat is the version of the form.
const savedFormat = 1

// The servers, as a file calls them.
const (
	savedCassandra = "cassandra"
	savedScyllaDB  = "scylladb"
)

// Append appends the file. It fails for a partitioner whose tokens are not known.
func (s *Saved) Append(dst []byte) ([]byte, error) {
	partitioner, err := token.ByClass(s.Partitioner)
	if err != nil {
		return nil, err
	}
	f := savedFile{
		Format:      savedFormat,
		At:          s.At,
		Cluster:     s.Name,
		Server:      savedCassandra,
		Partitioner: s.Partitioner,
		Datacenter:  s.LocalDC,
		Keyspaces:   s.Keyspaces,
	}
	if s.ScyllaDB {
		f.Server = savedScyllaDB
	}
	for _, n := range s.Nodes {
		node := savedNode{
			ID:         n.ID,
			Address:    n.Address,
			Datacenter: n.DC,
			Rack:       n.Rack,
			Version:    n.Version,
		}
		for _, t := range n.Tokens {
			node.Tokens = append(node.Tokens, string(partitioner.Append(nil, t)))
		}
		f.Nodes = append(f.Nodes, node)
	}
	b, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(append(dst, b...), '\n'), nil
}

// ParseSaved reads a file. Its nodes make a ring: see [Cluster.Ring].
func ParseSaved(b []byte) (*Saved, error) {
	var f savedFile
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("the file is empty or cut off")
	} else if err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("something stands behind the object")
	}
	switch {
	case f.Format != savedFormat:
		return nil, fmt.Errorf("format %d: only %d is read", f.Format, savedFormat)
	case f.Server != savedCassandra && f.Server != savedScyllaDB:
		return nil, fmt.Errorf(
			"server %q: must be %s or %s",
			f.Server,
			savedCassandra,
			savedScyllaDB,
		)
	}
	partitioner, err := token.ByClass(f.Partitioner)
	if err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	s := &Saved{
		Cluster: Cluster{Name: f.Cluster, Partitioner: f.Partitioner, LocalDC: f.Datacenter},
		At:      f.At, ScyllaDB: f.Server == savedScyllaDB, Keyspaces: f.Keyspaces,
	}
	for _, n := range f.Nodes {
		node := Node{
			ID:      n.ID,
			Address: n.Address,
			DC:      n.Datacenter,
			Rack:    n.Rack,
			Version: n.Version,
		}
		for _, text := range n.Tokens {
			t, err := partitioner.Parse(text)
			if err != nil {
				return nil, fmt.Errorf("node %s: %w", n.ID, err)
			}
			node.Tokens = append(node.Tokens, t)
		}
		s.Nodes = append(s.Nodes, node)
	}
	if err := s.CheckDC(); err != nil {
		return nil, err
	}
	_, err = s.Ring()
	return s, err
}
