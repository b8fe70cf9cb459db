package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// simulated is the cluster of a script.
type simulated struct {
	*simcluster.Cluster
	faults []*simcluster.Injected
	// closed when a request has met the stall
	stalled chan struct{}
	// whether storage ports hang at a step; nil: never
	hangs   atomic.Pointer[func(at internodetest.Step) bool]
	options []func(o *simcluster.Options)
}

// clusterCommands are the commands of scripts that are about the cluster.
var clusterCommands = map[string]func(*testscript.TestScript, bool, []string){
	"cluster":      startCluster,
	"level":        level,
	"stall":        stall,
	"stalled":      stalled,
	"fail":         fail,
	"heal":         heal,
	"redrop":       redrop,
	"password":     password,
	"certificates": certificates,
	"index":        index,
	"newer":        newer,
	"clock":        setClock,
	"disagree":     disagree,
	"down":         nodeDown,
	"visits":       makeVisits,
	"sales":        makeSales,
	"tags":         makeTags,
	"forms":        makeForms,
}

// clusterKey finds it among the values of a script.
type clusterKey struct{}

func clusterOf(ts *testscript.TestScript) *simulated {
	s := ts.Value(clusterKey{}).(*simulated)
	if s.Cluster == nil {
		ts.Fatalf("there is no cluster: begin with the command cluster")
	}
	return s
}

// startCluster is the command "cluster [replicas [version]]". It starts a simulated cluster of
// three nodes, of that version of Cassandra or of "scylla", and points the program to it by its
// environment. NODE3 is the last node. The keyspace shop has that number of replicas, 2 by default,
// and an empty table:
//
//	CREATE TABLE shop.orders (customer text, number int, item text, pieces int,
//	PRIMARY KEY (customer, number))
func startCluster(ts *testscript.TestScript, neg bool, args []string) {
	factor := 2
	if len(args) > 0 {
		var err error
		factor, err = strconv.Atoi(args[0])
		ts.Check(err)
	}
	s := ts.Value(clusterKey{}).(*simulated)
	if neg || len(args) > 2 || s.Cluster != nil {
		ts.Fatalf("usage: cluster [replicas [version]], once")
	}
	options := simcluster.Options{
		Base: simcluster.Anywhere, Keyspace: "shop", Factor: factor, Cores: 1,
		Storage: func(_ int, port *internodetest.Node) { port.Draw = s.draw },
		Tables: []simcluster.Table{{Name: "orders", Columns: []simcluster.Column{
			{
				Name: "customer",
				Kind: simcluster.PartitionKey,
				Type: "text",
			},
			{Name: "number", Kind: simcluster.Clustering, Type: "int"},
			{Name: "item", Type: "text"},
			{Name: "pieces", Type: "int"},
		}}},
	}
	switch {
	case len(args) < 2:
	case args[1] == "scylla":
		options.Shards, options.Storage = 1, nil
	default:
		options.Release = args[1]
	}
	for _, set := range s.options {
		set(&options)
	}
	var err error
	s.Cluster, err = simcluster.Start(options)
	ts.Check(err)
	ts.Defer(s.Close)
	ts.Setenv("CQLBULK_HOSTS", s.Hosts()[0])
	ts.Setenv("NODE3", s.Hosts()[2])
	ts.Setenv("CQLBULK_PORT", fmt.Sprint(s.Port()))
}

// draw is the harm that a storage port does at a step.
func (s *simulated) draw(at internodetest.Step) internodetest.Harm {
	if hangs := s.hangs.Load(); hangs != nil && (*hangs)(at) {
		return internodetest.Hang
	}
	return ""
}

// level is the command "level reads|writes LOCAL_ONE". It checks that since the last call there
// were requests to the table, and that all reads or all writes had that consistency level.
func level(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: level reads|writes level")
	}
	s := clusterOf(ts)
	levels := make(map[string]int)
	for _, r := range s.Requests() {
		if r.Table == "shop.orders" && !r.Prepare && (len(r.Keys) > 0) == (args[0] == "writes") {
			levels[strings.Fields(r.Consistency.String())[1]]++
		}
	}
	s.Forget()
	if len(levels) != 1 || levels[args[1]] == 0 {
		ts.Fatalf("%s: %v", args[0], levels)
	}
}

// requests is a rule for the reads, or the writes, of the table.
func requests(ts *testscript.TestScript, kind string) simcluster.Rule {
	if kind != "reads" && kind != "writes" {
		ts.Fatalf("%q: reads or writes", kind)
	}
	return simcluster.Rule{Match: func(r simcluster.Request) bool {
		return r.Table == "shop.orders" && (len(r.Keys) > 0) == (kind == "writes")
	}}
}

// stall is the command "stall reads|writes N": the cluster answers N of them, and then no more.
// With "stall files 0", nodes take a part of the files that are streamed to them, and then no more.
func stall(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: stall reads|writes|files number")
	}
	s := clusterOf(ts)
	if args[0] == "files" {
		met := make(chan struct{})
		tell := sync.OnceFunc(func() { close(met) })
		hangs := func(at internodetest.Step) bool {
			if at == internodetest.MidFile {
				tell()
			}
			return at == internodetest.MidFile
		}
		s.stalled = met
		s.hangs.Store(&hangs)
		return
	}
	rule := requests(ts, args[0])
	var err error
	rule.Skip, err = strconv.Atoi(args[1])
	ts.Check(err)
	met := make(chan struct{})
	rule.Fault, rule.Do, s.stalled = simcluster.Silence, sync.OnceFunc(func() { close(met) }), met
	s.faults = append(s.faults, s.Inject(rule))
}

// stalled is the command "stalled": it waits until there is a request that is not answered.
func stalled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: stalled")
	}
	<-clusterOf(ts).stalled
}

// fail is the command "fail reads|writes customer": those of that partition's token fail.
func fail(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fail reads|writes customer")
	}
	s := clusterOf(ts)
	at := token.Murmur3.Hash([]byte(args[1]))
	rule := requests(ts, args[0])
	kind := rule.Match
	rule.Match = func(r simcluster.Request) bool {
		return kind(r) && (r.Range.Contains(at) || slices.Contains(r.Keys, at))
	}
	rule.Fault = simcluster.Overloaded
	s.faults = append(s.faults, s.Inject(rule))
}

// redrop is the command "redrop COLUMN": when the first rows are written from now on, a column of
// the table is dropped and added again.
func redrop(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: redrop column")
	}
	s := clusterOf(ts)
	rule := requests(ts, "writes")
	rule.Times, rule.Do = 1, sync.OnceFunc(
		func() { _ = s.DropAndAdd("shop.orders", args[0], time.Now()) },
	)
	s.faults = append(s.faults, s.Inject(rule))
}

// heal is the command "heal": nothing stalls or fails any more.
func heal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: heal")
	}
	s := clusterOf(ts)
	for _, f := range s.faults {
		f.Remove()
	}
	s.faults = nil
	s.hangs.Store(nil)
}
