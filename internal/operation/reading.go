package operation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/operation/setting"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/internal/sweep"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Reading says which way the rows of a table are read.
type Reading struct {
	Via      string   // cql, stream or sstables
	Inputs   []string // folders with SSTables
	Snapshot string   // the one of them that is read; empty: as snapshot.Request.Tag
	Schema   string   // file of CQL that describes the table; empty: that beside the SSTables, else the cluster
	// IgnoreCommitLog reads live data beside which a commit log has rows that are in no SSTable.
	IgnoreCommitLog bool
	Ring            string       // file of the nodes and their tokens; a range is read from its replicas' files; empty: from all files
	Listen          string       // address and port where nodes bring what is streamed; empty: DefaultListen
	StoragePort     int          // of all nodes; 0: what they tell
	Slice           setting.Size // bytes that a node is asked for at once; 0: by the table's size
	TempDir         string       // for what is streamed; empty: the system's
	Internode       TLS          // of the port that nodes stream to each other by

	prefix string        // of those flags that name the cluster; not empty: it is not the only one that is connected to
	like   *tableSession // the table that SSTables are of when no schema lies beside them; nil: the cluster is asked
}

// ignoreCommitLogSetting is the name of IgnoreCommitLog.
const ignoreCommitLogSetting = "ignore-commitlog"

// newReading has the defaults.
func newReading() Reading { return Reading{Via: viaCQL, Internode: newInternode()} }

func (o *Reading) settings() setting.List {
	return append(setting.List{
		{Name: "via", Field: &o.Via, Among: readWays},
		{Name: "snapshot", Field: &o.Snapshot},
		{Name: "schema", Field: &o.Schema, Use: setting.Path},
		{Name: "ring", Field: &o.Ring, Use: setting.Path},
		{Name: ignoreCommitLogSetting, Field: &o.IgnoreCommitLog},
		{Name: "listen", Field: &o.Listen},
		{Name: o.portFlag(), Field: &o.StoragePort},
		{Name: "slice", Field: &o.Slice},
		{Name: "temp-dir", Field: &o.TempDir, Use: setting.Path},
	}, o.Internode.settings()...)
}

// FromFiles says whether folders with SSTables are read.
func (o *Reading) FromFiles() bool { return o.Via == viaFiles }

// readWays are the ways that rows are read.
var readWays = []string{viaCQL, viaStream, viaFiles}

// check refuses what does not go together.
func (o *Reading) check(p *Pacing) error {
	if !slices.Contains(readWays, o.Via) {
		return fmt.Errorf("--via %q: the ways are %s%s", o.Via, strings.Join(readWays, ", "), schema.DidYouMean(o.Via, readWays))
	}
	for _, of := range []struct {
		name  string
		given bool
		via   string
	}{
		{"snapshot", o.Snapshot != "", viaFiles}, {"schema", o.Schema != "", viaFiles}, {"ring", o.Ring != "", viaFiles}, {ignoreCommitLogSetting, o.IgnoreCommitLog, viaFiles},
		{"listen", o.Listen != "", viaStream}, {o.portFlag(), o.StoragePort != 0, viaStream},
		{"slice", o.Slice != 0, viaStream}, {"temp-dir", o.TempDir != "", viaStream}, {o.Internode.name("ssl"), o.Internode.On, viaStream},
	} {
		if of.given && o.Via != of.via {
			return fmt.Errorf("--%s requires --via %s", of.name, of.via)
		}
	}
	if !o.Internode.On {
		if err := o.Internode.idle(); err != nil {
			return err
		}
	}
	switch {
	case o.Via == viaCQL:
		return nil
	case o.Via == viaFiles && len(o.Inputs) == 0:
		return fmt.Errorf("--via %s: name the folders of the SSTables after the table", viaFiles)
	case p.TargetP99 > 0:
		return fmt.Errorf("--target-p99: means nothing with --via %s, which sends no requests", o.Via)
	}
	return o.checkStreamed()
}

// portFlag names the flag of the storage port, and streamFlag is how a user has said that rows are streamed out of nodes.
func (o *Reading) portFlag() string { return o.prefix + storagePortSetting }

func (o *Reading) streamFlag() string {
	if o.prefix != "" {
		return o.prefix + "hosts"
	}
	return "via " + viaStream
}

// checkStreamed checks what is told of streaming out of nodes.
func (o *Reading) checkStreamed() error {
	if err := checkStoragePort(o.portFlag(), o.StoragePort); err != nil {
		return err
	}
	if err := checkListen(o.Listen); err != nil {
		return err
	}
	if o.Slice < 0 || o.Slice > 0 && o.Slice < leastSlice {
		return fmt.Errorf("--slice %s: must be at least 1MiB", o.Slice.String())
	}
	return nil
}

// open opens a table the way that it is read. Rows must meet the condition, where there is one; that of a table that is read by
// CQL is the servers' business.
func (o *Reading) open(ctx context.Context, env Environment, conn *Connection, name TableName, planning plan.Options, where string, patience time.Duration) (*tableSession, error) {
	switch o.Via {
	case viaFiles:
		return openFiles(ctx, env, o, conn, name, planning, where)
	case viaStream:
		return openStream(ctx, env, o, conn, name, planning, where, patience)
	}
	cfg, err := conn.config(env)
	if err != nil {
		return nil, err
	}
	cfg.Patience = patience
	return openTable(ctx, cfg, name, planning, true)
}

// wanted is what of a table is read, and how.
type wanted struct {
	read   []schema.Selector // what is selected
	query  driver.Query
	count  bool         // rows are counted: what is selected is what the number is broken down by
	memory setting.Size // of which SSTables may take a part
	now    time.Time    // what expires then has expired, of rows in SSTables
}

// reader makes what the rows of the table are read by. What it has open is closed with the session.
func (t *tableSession) reader(w wanted) sweep.Reader {
	if t.files == nil {
		return t.session.Reader(t.table, w.query, t.plan.Partitioner())
	}
	o := sstables.Options{
		Table: t.files.table, Selection: t.files.selection(t.table, w.read), Files: t.files.bounded(w.memory), Now: w.now.Unix(), Cells: len(w.read), Count: w.count,
		PageBytes: sweep.DefaultPageBytes,
	}
	if c := t.files.where; c != nil {
		o.Selection = append(o.Selection, t.files.selection(t.table, t.selectorsOf(c.Columns()))...)
		o.Tokens = c.Tokens()
		o.Holds = func(cells [][]byte, at token.Token) bool { return c.Holds(cells[len(w.read):], at) }
	}
	r := sstables.New(o)
	t.closers = append(t.closers, r.Close)
	return r
}
