package operation

import (
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/operation/setting"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// Writing says which way rows go into a table, and how much of the cluster and of this machine that may take.
type Writing struct {
	Via            string       // cql, stream or sstables
	Dir            string       // folder for the SSTables, where they are not streamed
	SSTableVersion string       // of those; empty: by the versions of the nodes
	Import         bool         // have the nodes on this host import the SSTables
	Nodetool       string       // program that they are imported by, and its first words
	Stream         string       // form in which rows are streamed: auto, rows or whole
	TempDir        string       // for what is sorted or made; empty: the run directory
	StoragePort    int          // of all nodes; 0: what they tell
	IgnoreHosts    []string     // nodes that are streamed nothing
	Listen         string       // address and port that nodes answer at; empty: DefaultListen
	AssumeStable   bool         // no node joins, leaves or moves, where that cannot be known
	Internode      TLS          // of the port that nodes stream to each other by
	MaxBytesPerSec setting.Size // of values, or of all that is streamed, at the most; 0: no limit
	Memory         setting.Size // to use at the most
	Patience       time.Duration
	DryRun         bool // write nothing

	ways []string // that Via may be
}

// newWriting has the defaults, and the ways that there are, the default first.
func newWriting(ways ...string) Writing {
	return Writing{Via: ways[0], ways: ways, Nodetool: defaultNodetool, Stream: streamAuto, Internode: newInternode(), Memory: defaultMemory, Patience: pace.DefaultPatience}
}

func (o *Writing) settings() setting.List {
	return append(setting.List{
		{Name: "dry-run", Field: &o.DryRun},
		{Name: "via", Field: &o.Via, Among: o.ways},
		{Name: "dir", Field: &o.Dir, Use: setting.Path},
		{Name: "sstable-version", Field: &o.SSTableVersion, Among: versionNames()},
		{Name: "import", Field: &o.Import},
		{Name: "nodetool", Field: &o.Nodetool},
		{Name: "stream", Field: &o.Stream, Among: streamForms},
		{Name: "temp-dir", Field: &o.TempDir, Use: setting.Path},
		{Name: storagePortSetting, Field: &o.StoragePort},
		{Name: "ignore-hosts", Field: &o.IgnoreHosts},
		{Name: "listen", Field: &o.Listen},
		{Name: "assume-stable", Field: &o.AssumeStable},
		{Name: "max-bytes-per-sec", Field: &o.MaxBytesPerSec},
		{Name: "memory", Field: &o.Memory},
		{Name: "patience", Field: &o.Patience},
	}, o.Internode.settings()...)
}

// check validates what means the same on every way.
func (o *Writing) check() error {
	if o.Memory < 64<<20 {
		return fmt.Errorf("--memory %s: must be at least 64MiB", o.Memory.String())
	}
	if err := checkListen(o.Listen); err != nil {
		return err
	}
	return checkStoragePort(storagePortSetting, o.StoragePort)
}

// checkListen refuses an address to listen at that has no port, or one that no port has; none is empty. Most loads need
// not listen, and would not find out.
func checkListen(address string) error {
	if address == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("--listen %s: must be an address and a port, such as 10.0.0.9%s, or a port alone: %[2]s", address, DefaultListen)
	}
	return nil
}

// storagePortSetting names the port of all nodes' storage.
const storagePortSetting = "storage-port"

// checkStoragePort refuses a port that is none; 0 is that which nodes tell.
func checkStoragePort(flag string, port int) error {
	if port < 0 || port > 65535 {
		return fmt.Errorf("--%s %d: must be from 1 to 65535", flag, port)
	}
	return nil
}

// landing is how rows get into a table past CQL, whatever they are made of.
type landing struct {
	env       Environment
	spec      *Writing
	t         *tableSession
	counters  *progress.Counters
	altered   func() error        // the error of a table that is not what it was
	again     string              // how the rows that are not loaded are made anew
	fromStart string              // how all rows are
	expires   bool                // rows that have no time to live of their own have the table's
	streaming *streaming          // nil: the way is CQL
	files     *fileKeeper         // nil: SSTables are not kept in a folder
	listener  *internode.Listener // that is open anyway, for nodes of another table; nil: there is none
}
