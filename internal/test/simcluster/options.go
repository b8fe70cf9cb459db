package simcluster

import (
	"cmp"
	"crypto/tls"
	"net"

	"github.com/datastax/go-cassandra-native-protocol/message"

	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
)

// Anywhere is a base that is drawn by lot, so that clusters of several test
// processes do not meet.
const Anywhere = "anywhere"

// Options describe a cluster; zero values take the defaults.
type Options struct {
	// address of the first node, default 127.0.77.1; the others count up from it; or Anywhere
	Base  string
	Nodes int // default 3
	// data centers, which the nodes are dealt out to in turn; default dc1
	DCs []string
	// of each data center, dealt out in turn too; 0: each node has its own
	Racks     int
	Factor    int  // replicas in each data center, default 2
	Tokens    int  // vnode tokens of each node, default 8
	Shards    int  // of each node, which is then ScyllaDB's; 0: Cassandra
	IgnoreMSB int  // default 12
	Tablets   int  // number of tablets of each table; 0: they are placed by the ring
	Colocated bool // the tablets are kept under another table's id
	Cores     int  // of each of Cassandra's nodes; 0: not reported
	// of each of Cassandra's nodes, in system_views.settings; nil: not reported
	Settings map[string]string
	// version of the nodes, default 5.0.6, of ScyllaDB's 3.0.8, which those pass for
	Release string
	// where Cassandra's nodes say that they speak to each other, default 7000
	StoragePort int
	// a page ends after this many bytes of cells, as ScyllaDB's do; 0: only its rows count
	PageBytes int

	// Tables are the tables. Without any there is Table in Keyspace, k bigint PRIMARY KEY and v
	// text, with that number of Rows. See also [Cluster.Rows].
	Tables   []Table
	Keyspace string // default ks
	Table    string // default t
	Rows     int    // default 1000

	Seed   uint64 // of tokens, tablets and rows
	Faults Faults // from the start; see [Cluster.Disturb]

	// Storage makes Cassandra's nodes take streams of SSTables on StoragePort, and send what they
	// are asked for; nil disables it. It is called when a node starts, to give its port faults, or
	// to replace its answer Has. The cluster decides the result of a session in which rows are
	// sent.
	Storage func(node int, port *internodetest.Node)

	// TLS is what a node that listens there secures its connections with; nil: they are not
	// secured.
	TLS func(address net.IP) *tls.Config

	// User and Password are what a client must give; empty: any client may connect.
	User, Password string

	// AmazonKeyspaces makes the nodes Cassandra's that call themselves Amazon Keyspaces. Its tables
	// have the property that they take write times from clients if ClientTimes is set.
	AmazonKeyspaces, ClientTimes bool

	// Admit is asked for the answer to each response of a client that logs in. It is for other ways
	// than a user and a password; default: of these, if there is a user.
	Admit func(response []byte) message.Message

	// Replicated gives each node rows of its own: what came to it by CQL, by streaming, or from
	// another node in the course of a [Change]. A node streams out what it has. Reads by CQL still
	// see all that was ever written.
	Replicated bool

	// Refuse is asked before each statement is answered, from several goroutines;
	// Rows of a read is then still 0. What it returns, unless nil, is the answer.
	Refuse func(Request) message.Error
}

// admitPassword looks at a name and a password, in the form of SASL's PLAIN.
func (o Options) admitPassword(response []byte) message.Message {
	if string(response) != "\x00"+o.User+"\x00"+o.Password {
		return &message.AuthenticationError{
			ErrorMessage: "Provided username " + o.User + " and/or password are incorrect",
		}
	}
	return &message.AuthSuccess{}
}

func (o Options) withDefaults() Options {
	if o.Admit == nil && o.User != "" {
		o.Admit = o.admitPassword
	}
	o.Base = cmp.Or(o.Base, "127.0.77.1")
	o.Nodes = cmp.Or(o.Nodes, 3)
	if len(o.DCs) == 0 {
		o.DCs = []string{"dc1"}
	}
	o.Factor = cmp.Or(o.Factor, 2)
	o.Tokens = cmp.Or(o.Tokens, 8)
	o.IgnoreMSB = cmp.Or(o.IgnoreMSB, 12)
	o.StoragePort = cmp.Or(o.StoragePort, 7000)
	if o.Shards > 0 {
		o.Release = cmp.Or(o.Release, "3.0.8")
	}
	o.Release = cmp.Or(o.Release, "5.0.6")
	o.Keyspace = cmp.Or(o.Keyspace, "ks")
	o.Table = cmp.Or(o.Table, "t")
	o.Rows = cmp.Or(o.Rows, 1000)
	if o.Refuse == nil {
		o.Refuse = func(Request) message.Error { return nil }
	}
	return o
}
