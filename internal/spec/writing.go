package spec

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// Writing says which way rows go into a table, and how much of the cluster and of this machine that
// may take.
type Writing struct {
	Via            string       // cql, stream or sstables
	Dir            string       // folder for the SSTables, where they are not streamed
	SSTableVersion string       // of those; empty: by the versions of the nodes
	Import         bool         // have the nodes on this host import the SSTables
	Nodetool       string       // program that they are imported by, and its first words
	Stream         string       // form in which rows are streamed: auto, rows or whole
	TempDir        string       // for what is sorted or made; empty: the run directory
	StoragePort    int          // of all nodes; 0: what they report
	IgnoreHosts    []string     // nodes that are streamed nothing
	Listen         string       // address and port that nodes answer at; empty: DefaultListen
	AssumeStable   bool         // no node joins, leaves or moves, where that cannot be known
	Internode      TLS          // of the port that nodes stream to each other by
	MaxBytesPerSec setting.Size // at most, of values or of what is streamed; 0: no limit
	Memory         setting.Size // at most, in bytes
	Patience       time.Duration
	DryRun         bool // write nothing

	ways []string // that Via may be
}

// NewWriting has the defaults, and the ways that there are, the default first.
func NewWriting(ways ...string) Writing {
	return Writing{
		Via:       ways[0],
		ways:      ways,
		Nodetool:  defaultNodetool,
		Stream:    StreamAuto,
		Internode: newInternode(),
		Memory:    defaultMemory,
		Patience:  pace.DefaultPatience,
	}
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
		{Name: StoragePortFlag, Field: &o.StoragePort},
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
	return checkStoragePort(StoragePortFlag, o.StoragePort)
}

// checkForm validates the form in which rows are streamed.
func (o *Writing) checkForm() error {
	if !slices.Contains(streamForms, o.Stream) {
		return fmt.Errorf(
			"--stream %q: must be %s, %s or %s",
			o.Stream,
			StreamAuto,
			StreamRows,
			StreamWhole,
		)
	}
	return nil
}

// checkVersion checks the version that was asked for by itself.
func (o *Writing) checkVersion() error {
	if o.SSTableVersion == "" {
		return nil
	}
	if o.Via != ViaFiles {
		return errors.New("--sstable-version requires --via " + ViaFiles)
	}
	version, err := component.ParseVersion(o.SSTableVersion)
	if err == nil {
		err = CheckSSTableVersion(version)
	}
	if err != nil {
		return fmt.Errorf("--sstable-version: %w", err)
	}
	return nil
}

// CheckSSTableVersion returns an error for a version in which cqlbulk writes no SSTables.
func CheckSSTableVersion(v component.Version) error {
	if !slices.Contains(madeVersions, v) {
		return fmt.Errorf(
			"%s is not made: must be one of %s",
			v,
			strings.Join(versionNames(), ", "),
		)
	}
	return nil
}

// madeVersions are the versions of SSTables that are made.
var madeVersions = []component.Version{component.MD, component.NB, component.OA}

// versionNames are their names.
func versionNames() []string {
	names := make([]string, len(madeVersions))
	for i, v := range madeVersions {
		names[i] = v.String()
	}
	return names
}

// checkImport refuses settings of the import that mean nothing.
func (o *Writing) checkImport(given setting.Given) error {
	switch {
	case o.Import && o.Via != ViaFiles:
		return fmt.Errorf("--import requires --via %s", ViaFiles)
	case given["nodetool"] && !o.Import:
		return errors.New("--nodetool requires --import")
	case o.Import && len(strings.Fields(o.Nodetool)) == 0:
		return errors.New("--nodetool: names no program")
	default:
		return nil
	}
}

// checkFiles refuses settings that mean nothing where SSTables are written into a folder.
func (o *Writing) checkFiles(given setting.Given, continued bool) error {
	refused := []string{"stream", "storage-port", "max-bytes-per-sec"}
	for _, s := range o.Internode.settings() {
		refused = append(refused, s.Name)
	}
	if err := o.refuseTyped(given, refused, "connects to no storage port"); err != nil {
		return err
	}
	if o.Dir == "" {
		return fmt.Errorf("--via %s: name the folder for the SSTables with -d, --dir", ViaFiles)
	}
	if continued {
		return nil
	}
	entries, err := os.ReadDir(o.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--dir: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf(
			"--dir %s: the folder is not empty: SSTables of one load alone belong there",
			o.Dir,
		)
	}
	return nil
}

// refuseDC refuses one data center for what is for all of them.
func (o *Writing) refuseDC(dc string) error {
	if dc != "" {
		return fmt.Errorf("--dc %s: --via %s is for the replicas in all data centers", dc, o.Via)
	}
	return nil
}

// refuseTyped refuses settings that were typed and mean nothing on the way that was chosen, which
// does what why says.
func (o *Writing) refuseTyped(given setting.Given, names []string, why string) error {
	for _, name := range names {
		if given[name] {
			return fmt.Errorf("--%s: means nothing with --via %s, which %s", name, o.Via, why)
		}
	}
	return nil
}

// checkListen refuses an address to listen at that has no port, or one that no port has; none is
// empty. Most loads need not listen, and would not find out.
func checkListen(address string) error {
	if address == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf(
			"--listen %s: must be an address and a port, such as 10.0.0.9%s, or a port alone: %[2]s",
			address,
			DefaultListen,
		)
	}
	return nil
}

// DefaultListen is where nodes bring their files: each at the address by which it is reached.
var DefaultListen = fmt.Sprintf(":%d", internode.ListenPort)

// StoragePortFlag names the port of all nodes' storage.
const StoragePortFlag = "storage-port"

// checkStoragePort refuses a number that is no port; 0 stands for the port that nodes report.
func checkStoragePort(flag string, port int) error {
	if port < 0 || port > 65535 {
		return fmt.Errorf("--%s %d: must be from 1 to 65535", flag, port)
	}
	return nil
}

// defaultNodetool is the program that SSTables are imported by.
const defaultNodetool = "nodetool"

// MinSlice keeps a slice from being one of the pieces that the input is read in.
const MinSlice = 1 << 20
