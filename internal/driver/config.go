package driver

import (
	"crypto/tls"
	"fmt"
	"strings"
	"time"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// Config says how to reach a cluster.
type Config struct {
	Hosts []string // contact points, each a name or an address, with or without a port
	// for contact points without one and for all other nodes; default 9042
	Port     int
	User     string      // empty: no authentication
	Password string      // of User
	TLS      *tls.Config // nil: connections are not secured; see LoadTLS
	// local data center; empty: that of the first contact point that answers
	DC string
	// for reads and writes, a CQL consistency level in any case; default LOCAL_ONE
	Consistency string
	Timeout     time.Duration // of one request, default 30 s
	// of a question about the cluster that another node can answer, or that can be done without;
	// default 5 s, at most Timeout
	AskTimeout time.Duration
	// of [Connect] with contact points that answer nothing; 0: as long as it takes
	Patience    time.Duration
	Connections int           // per node, default 2 (ScyllaDB: one per shard whatever it says)
	Coalesce    time.Duration // how long requests wait to share a network write; 0: not at all
	Compress    bool          // ask nodes to compress frames with LZ4, where they can
	// CompressFrom is the round trip to a node from which it is asked to; 0: every node is.
	CompressFrom time.Duration
	Version      string // of this program, told to the server

	Logf  func(format string, args ...any) // takes what the driver has to say; nil: nobody
	Warnf func(format string, args ...any) // takes what the user must know; nil: nobody

	// in tests, when [Connect] tells Warnf what it waits for; nil: tellAfter later than AskTimeout
	warnNow <-chan time.Time
}

// withDefaults gives a copy with every empty setting filled in.
func (c Config) withDefaults() Config {
	if c.Port == 0 {
		c.Port = 9042
	}
	if c.Consistency == "" {
		c.Consistency = "LOCAL_ONE"
	}
	if c.Timeout == 0 {
		// Above the 10 s that Cassandra gives a range read, so that the server's
		// own answer, which says more than silence, comes first.
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

// ParseConsistency checks a consistency level's name, in any case, with or
// without underscores, and gives its CQL spelling.
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
// replica. At any other level a coordinator compares several, and writes what one of them lacks to
// it (read repair).
func ReadsOneReplica(level string) bool {
	return level == "" || level == gocql.One.String() || level == gocql.LocalOne.String()
}

// levels are the consistency levels of requests.
var levels = []gocql.Consistency{
	gocql.Any, gocql.One, gocql.Two, gocql.Three, gocql.Quorum, gocql.All,
	gocql.LocalQuorum, gocql.EachQuorum, gocql.LocalOne,
}

// ConsistencyLevels are the names that ParseConsistency knows, as CQL spells them.
func ConsistencyLevels() []string {
	names := make([]string, len(levels))
	for i, level := range levels {
		names[i] = level.String()
	}
	return names
}
