package cli

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// Commands of scripts about what a doctor finds of a cluster. The first four come before the
// command cluster.

// password is the command "password user word": the cluster asks for these.
func password(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: password user word")
	}
	s := ts.Value(clusterKey{}).(*simulated)
	s.options = append(
		s.options,
		func(o *simcluster.Options) { o.User, o.Password = args[0], args[1] },
	)
}

// certificates is the command "certificates time": the nodes speak TLS, with certificates that end
// after that time. It writes ca.pem, and client.pem and client-key.pem of a client whose
// certificate ends then as well.
func certificates(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: certificates time")
	}
	left, err := time.ParseDuration(args[0])
	ts.Check(err)
	ends := time.Now().Add(left)
	ca := newAuthority(ts)
	ts.Check(os.WriteFile(ts.MkAbs("ca.pem"), block("CERTIFICATE", ca.pair.Certificate[0]), 0o600))
	client, err := ca.issue(ends, nil)
	ts.Check(err)
	key, err := x509.MarshalPKCS8PrivateKey(client.PrivateKey)
	ts.Check(err)
	ts.Check(
		os.WriteFile(ts.MkAbs("client.pem"), block("CERTIFICATE", client.Certificate[0]), 0o600),
	)
	ts.Check(os.WriteFile(ts.MkAbs("client-key.pem"), block("PRIVATE KEY", key), 0o600))
	s := ts.Value(clusterKey{}).(*simulated)
	s.options = append(s.options, func(o *simcluster.Options) {
		o.TLS = func(address net.IP) *tls.Config {
			cert, err := ca.issue(ends, address)
			if err != nil {
				return new(tls.Config) // a handshake fails then
			}
			return &tls.Config{Certificates: []tls.Certificate{cert}}
		}
	})
}

// index is the command "index name class": the table shop.orders has such an index.
func index(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: index name class")
	}
	s := ts.Value(clusterKey{}).(*simulated)
	s.options = append(
		s.options,
		func(o *simcluster.Options) { o.Tables[0].Indexes = map[string]string{args[0]: args[1]} },
	)
}

// newer is the command "newer node": that one, counted from 1, writes SSTables of a later version
// than nb, as nodes of Cassandra 5.0 may.
func newer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: newer node")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	s := ts.Value(clusterKey{}).(*simulated)
	s.options = append(s.options, func(o *simcluster.Options) {
		o.Storage = func(node int, port *internodetest.Node) {
			if node == n-1 {
				port.Version = 13
			}
		}
	})
}

func block(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// authority issues certificates.
type authority struct{ pair tls.Certificate }

func newAuthority(ts *testscript.TestScript) *authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(
			1,
		),
		Subject:               pkix.Name{CommonName: "ca"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().AddDate(1, 0, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	ts.Check(err)
	leaf, err := x509.ParseCertificate(der)
	ts.Check(err)
	return &authority{tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}}
}

// issue makes a certificate, of a node at an address or of a client.
func (a *authority) issue(ends time.Time, address net.IP) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2),
		NotBefore:    time.Now().AddDate(0, -1, 0),
		NotAfter:     ends,
	}
	if address != nil {
		template.IPAddresses = []net.IP{address}
	}
	der, err := x509.CreateCertificate(
		rand.Reader,
		template,
		a.pair.Leaf,
		&key.PublicKey,
		a.pair.PrivateKey,
	)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// makeTables is a command without arguments that makes tables with one replica.
func makeTables(
	ts *testscript.TestScript, neg bool, args []string, name string, tables ...simcluster.Table,
) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: %s", name)
	}
	for _, table := range tables {
		ts.Check(clusterOf(ts).Create(table, 1))
	}
}

// makeVisits is the command "visits": it makes a table with dates, and one with dates inside of
// values:
//
//	CREATE TABLE shop.visits (page text PRIMARY KEY, at timestamp, day date)
//	CREATE TABLE shop.paths (id int PRIMARY KEY, seen list<timestamp>,
//	last frozen<tuple<text, timestamp>>)
func makeVisits(ts *testscript.TestScript, neg bool, args []string) {
	makeTables(ts, neg, args, "visits", simcluster.Table{Name: "visits", Columns: []simcluster.Column{
		{
			Name: "page",
			Kind: simcluster.PartitionKey,
			Type: "text",
		},
		{Name: "at", Type: "timestamp"},
		{Name: "day", Type: "date"},
	}}, simcluster.Table{Name: "paths", Columns: []simcluster.Column{
		{
			Name: "id",
			Kind: simcluster.PartitionKey,
			Type: "int",
		},
		{Name: "seen", Type: "list<timestamp>"},
		{Name: "last", Type: "frozen<tuple<text, timestamp>>"},
	}})
}

// makeForms is the command "forms": it makes a table with values that programs write in several
// forms:
//
//	CREATE TABLE shop.forms (id int PRIMARY KEY, n bigint, price decimal, data blob,
//	tags list<text>, props map<text, int>)
func makeForms(ts *testscript.TestScript, neg bool, args []string) {
	makeTables(ts, neg, args, "forms", simcluster.Table{Name: "forms", Columns: []simcluster.Column{
		{
			Name: "id",
			Kind: simcluster.PartitionKey,
			Type: "int",
		},
		{Name: "n", Type: "bigint"},
		{Name: "price", Type: "decimal"},
		{Name: "data", Type: "blob"},
		{Name: "tags", Type: "list<text>"},
		{Name: "props", Type: "map<text, int>"},
	}})
}

// makeSales is the command "sales": it makes a table with columns of the types that other programs
// write differently:
//
//	CREATE TABLE shop.sales (order_id int, line int, customer text,
//	ordered_at timestamp, ship_date date, amount decimal,
//	active boolean, stock int, PRIMARY KEY (order_id, line))
func makeSales(ts *testscript.TestScript, neg bool, args []string) {
	makeTables(ts, neg, args, "sales", simcluster.Table{Name: "sales", Columns: []simcluster.Column{
		{
			Name: "order_id",
			Kind: simcluster.PartitionKey,
			Type: "int",
		},
		{Name: "line", Kind: simcluster.Clustering, Type: "int"},
		{
			Name: "customer",
			Type: "text",
		},
		{Name: "ordered_at", Type: "timestamp"},
		{Name: "ship_date", Type: "date"},
		{
			Name: "amount",
			Type: "decimal",
		},
		{Name: "active", Type: "boolean"},
		{Name: "stock", Type: "int"},
	}})
}

// makeTags is the command "tags": it makes a table whose key may be any text, and one with two
// timestamps:
//
//	CREATE TABLE shop.tags (tag text PRIMARY KEY, n int)
//	CREATE TABLE shop.spans (id int PRIMARY KEY, made timestamp, changed timestamp)
func makeTags(ts *testscript.TestScript, neg bool, args []string) {
	makeTables(ts, neg, args, "tags", simcluster.Table{Name: "tags", Columns: []simcluster.Column{
		{Name: "tag", Kind: simcluster.PartitionKey, Type: "text"}, {Name: "n", Type: "int"},
	}}, simcluster.Table{Name: "spans", Columns: []simcluster.Column{
		{
			Name: "id",
			Kind: simcluster.PartitionKey,
			Type: "int",
		},
		{Name: "made", Type: "timestamp"},
		{Name: "changed", Type: "timestamp"},
	}})
}

// nodeOf reads the number of a node, from 1.
func nodeOf(ts *testscript.TestScript, text string) int {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return n - 1
}

// setClock is the command "clock node time": that node's clock is so far ahead.
func setClock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: clock node time")
	}
	ahead, err := time.ParseDuration(args[1])
	ts.Check(err)
	clusterOf(ts).SetClock(nodeOf(ts, args[0]), ahead)
}

// disagree is the command "[!] disagree node [time]": that node has another schema than the others,
// for that time.
func disagree(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 && (neg || len(args) != 2) {
		ts.Fatalf("usage: [!] disagree node [time]")
	}
	c, node := clusterOf(ts), nodeOf(ts, args[0])
	c.Disagree(node, !neg)
	if len(args) == 2 {
		lag, err := time.ParseDuration(args[1])
		ts.Check(err)
		agreed := time.AfterFunc(lag, func() { c.Disagree(node, false) })
		ts.Defer(func() { agreed.Stop() })
	}
}

// nodeDown is the command "[!] down node": the node goes down, or comes back.
func nodeDown(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] down node")
	}
	if neg {
		ts.Check(clusterOf(ts).Restart(nodeOf(ts, args[0])))
		return
	}
	clusterOf(ts).Stop(nodeOf(ts, args[0]))
}
