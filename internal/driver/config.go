package driver

import (
	"crypto/tls"
	"fmt"
	"strings"
	"time"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// Config is how to reach a cluster.
type Config struct {
	Hosts []string // contact points, each a name or an address, with or without a port
	// of contact points without a port, and of all other nodes; default 9042
	Port int
	// Addresses has the nodes that are reached at other addresses than their own; nil: none is.
	Addresses AddressMap
	Nodes     NodeLists // nodes that requests are sent to
	// Bundle is in the place of Hosts, Port, Addresses and TLS; nil: there is none.
	Bundle   *Bundle
	proxy    *proxy      // of the bundle
	User     string      // empty: no authentication
	Password string      // password of User
	AWS      *AWSLogin   // login in the place of User and Password; nil: none
	TLS      *tls.Config // nil: connections are not secured; see LoadTLS
	// local data center; empty: that of the first contact point that answers
	DC string
	// CQL consistency level of reads and writes, in any case; default LOCAL_ONE
	Consistency string
	Timeout     time.Duration // timeout of one request; default 30 s
	// timeout of a question that another node can answer, or that needs no answer; default 5 s, at
	// most Timeout
	AskTimeout time.Duration
	// of [Connect], for contact points that answer nothing; 0: no limit
	Patience    time.Duration
	Connections int           // per node, default 2 (with ScyllaDB, one per shard)
	Coalesce    time.Duration // how long requests wait to share a network write; 0: not at all
	Compress    bool          // compress frames with LZ4, if the node can
	// CompressFrom is the round-trip time from which a node's frames are compressed; 0: every
	// node's.
	CompressFrom time.Duration
	Version      string // of this program, sent to the server

	Logf  func(format string, args ...any) // logs messages of the driver; nil: they are dropped
	Warnf func(format string, args ...any) // shows warnings to the user; nil: they are dropped

	// for tests: when [Connect] warns that it waits; nil: AskTimeout + warnAfter after its start
	warnNow <-chan time.Time
}

// withDefaults returns a copy with defaults for empty settings.
func (c Config) withDefaults() Config {
	if c.Port == 0 {
		c.Port = 9042
	}
	if c.Consistency == "" {
		c.Consistency = "LOCAL_ONE"
	}
	if c.Timeout == 0 {
		// Above the 10 s of Cassandra's range_request_timeout, so that the server's own answer,
		// which says more than silence, comes first.
		c.Timeout = 30 * time.Second
	}
	if c.AskTimeout == 0 {
		c.AskTimeout = 5 * time.Second
	}
	c.AskTimeout = min(c.AskTimeout, c.Timeout)
	if c.Connections == 0 {
		c.Connections = 2
	}
	if c.Logf == nil {
		c.Logf = func(string, ...any) {}
	}
	if c.Warnf == nil {
		c.Warnf = func(string, ...any) {}
	}
	return c
}

// ParseConsistency checks the name of a consistency level, in any case, with or without
// underscores. It returns its CQL spelling.
func ParseConsistency(s string) (string, error) {
	level, err := parseConsistency(s)
	if err != nil {
		return "", err
	}
	return level.String(), nil
}

func parseConsistency(s string) (gocql.Consistency, error) {
	bare := func(s string) string { return strings.ToUpper(strings.ReplaceAll(s, "_", "")) }
	for _, level := range levels {
		if bare(level.String()) == bare(s) {
			return level, nil
		}
	}
	return 0, fmt.Errorf(
		"unknown consistency level %q%s; the levels are %s",
		s,
		schema.DidYouMean(strings.ToUpper(s), ConsistencyLevels()),
		strings.Join(ConsistencyLevels(), ", "),
	)
}

// ReadsOneReplica reports whether a read at this level, as CQL spells it, takes the answer of one
// replica. At any other level a coordinator compares several replicas, and writes to one what it
// lacks (read repair).
func ReadsOneReplica(level string) bool {
	return level == "" || level == gocql.One.String() || level == gocql.LocalOne.String()
}

// levels are the consistency levels of requests.
var levels = []gocql.Consistency{
	gocql.Any, gocql.One, gocql.Two, gocql.Three, gocql.Quorum, gocql.All,
	gocql.LocalQuorum, gocql.EachQuorum, gocql.LocalOne,
}

// ConsistencyLevels returns the names that ParseConsistency knows, as CQL spells them.
func ConsistencyLevels() []string {
	names := make([]string, len(levels))
	for i, level := range levels {
		names[i] = level.String()
	}
	return names
}
