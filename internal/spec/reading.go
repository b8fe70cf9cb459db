package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Reading says which way the rows of a table are read.
type Reading struct {
	Via      string   // cql, stream or sstables
	Inputs   []string // folders with SSTables
	Snapshot string   // the one of them that is read; empty: as snapshot.Request.Tag
	// file of CQL that describes the table; empty: that beside the SSTables, else the cluster
	Schema string
	// IgnoreCommitLog reads live data beside which a commit log has rows that are in no SSTable.
	IgnoreCommitLog bool
	// file of the nodes and their tokens; a range is read from its replicas' files; empty: from all
	// files
	Ring string
	// address and port where nodes bring what is streamed; empty: DefaultListen
	Listen      string
	StoragePort int          // of all nodes; 0: what they report
	Slice       setting.Size // bytes that a node is asked for at once; 0: by the table's size
	TempDir     string       // for what is streamed; empty: the system's
	Internode   TLS          // of the port that nodes stream to each other by

	// of those flags that name the cluster; not empty: it is not the only one that is connected to
	prefix string
}

// IgnoreCommitLogFlag is the name of IgnoreCommitLog.
const IgnoreCommitLogFlag = "ignore-commitlog"

// newReading has the defaults.
func newReading() Reading { return Reading{Via: ViaCQL, Internode: newInternode()} }

func (o *Reading) settings() setting.List {
	return append(setting.List{
		{Name: "via", Field: &o.Via, Among: readWays},
		{Name: "snapshot", Field: &o.Snapshot},
		{Name: "schema", Field: &o.Schema, Use: setting.Path},
		{Name: "ring", Field: &o.Ring, Use: setting.Path},
		{Name: IgnoreCommitLogFlag, Field: &o.IgnoreCommitLog},
		{Name: "listen", Field: &o.Listen},
		{Name: o.PortFlag(), Field: &o.StoragePort},
		{Name: "slice", Field: &o.Slice},
		{Name: "temp-dir", Field: &o.TempDir, Use: setting.Path},
	}, o.Internode.settings()...)
}

// FromFiles says whether folders with SSTables are read.
func (o *Reading) FromFiles() bool { return o.Via == ViaFiles }

// readWays are the ways that rows are read.
var readWays = []string{ViaCQL, ViaStream, ViaFiles}

// check refuses what does not go together.
func (o *Reading) check(p *Pacing) error {
	if !slices.Contains(readWays, o.Via) {
		return fmt.Errorf(
			"--via %q: the ways are %s%s",
			o.Via,
			strings.Join(readWays, ", "),
			schema.DidYouMean(o.Via, readWays),
		)
	}
	for _, of := range []struct {
		name  string
		given bool
		via   string
	}{
		{"snapshot", o.Snapshot != "", ViaFiles}, {"schema", o.Schema != "", ViaFiles}, {"ring", o.Ring != "", ViaFiles}, {IgnoreCommitLogFlag, o.IgnoreCommitLog, ViaFiles},
		{"listen", o.Listen != "", ViaStream}, {o.PortFlag(), o.StoragePort != 0, ViaStream},
		{"slice", o.Slice != 0, ViaStream}, {"temp-dir", o.TempDir != "", ViaStream}, {o.Internode.Name("ssl"), o.Internode.On, ViaStream},
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
	case o.Via == ViaCQL:
		return nil
	case o.Via == ViaFiles && len(o.Inputs) == 0:
		return fmt.Errorf("--via %s: name the folders of the SSTables after the table", ViaFiles)
	case p.TargetP99 > 0:
		return fmt.Errorf(
			"--target-p99: means nothing with --via %s, which sends no requests",
			o.Via,
		)
	}
	return o.checkStreamed()
}

// PortFlag returns the name of the flag of the storage port.
func (o *Reading) PortFlag() string { return o.prefix + StoragePortFlag }

// StreamFlag returns the flag by which a user had rows streamed out of nodes.
func (o *Reading) StreamFlag() string {
	if o.prefix != "" {
		return o.prefix + "hosts"
	}
	return "via " + ViaStream
}

// checkStreamed checks the settings of streaming out of nodes.
func (o *Reading) checkStreamed() error {
	if err := checkStoragePort(o.PortFlag(), o.StoragePort); err != nil {
		return err
	}
	if err := checkListen(o.Listen); err != nil {
		return err
	}
	if o.Slice < 0 || o.Slice > 0 && o.Slice < MinSlice {
		return fmt.Errorf("--slice %s: must be at least 1MiB", o.Slice.String())
	}
	return nil
}
