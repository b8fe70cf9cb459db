package operation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/write/stream"
)

// Imported is what became of a node's SSTables that were to be imported.
type Imported struct {
	Node   string // its address
	Tables int
	Err    error // nil: the node has taken all of them
	// Command is what is to be run on the node, where the error is that nothing was run, or that it
	// did not do.
	Command string
}

// errElsewhere says that a node's command cannot be run here.
var errElsewhere = errors.New("the node is not on this host")

// hostMark stands for a node's address among the words of that program.
const hostMark = "{host}"

// refuseImport says why what is made cannot be imported from here, if it cannot.
func (l *landing) refuseImport(by taking) error {
	if !l.spec.Import {
		return nil
	}
	if by != byImport {
		return errors.New(
			"--import: only nodes of Cassandra 4.0 to 5.0, where they are known, import by nodetool",
		)
	}
	var here []string
	for _, n := range l.t.Cluster.Nodes {
		if isHere(n.Address) {
			here = append(here, n.Address)
		}
	}
	switch {
	case len(here) == 0:
		return errors.New("--import: no node of the cluster is on this host")
	case len(here) > 1 && !strings.Contains(l.spec.Nodetool, hostMark):
		return fmt.Errorf(
			"--import: several nodes are on this host (%s): write %s in --nodetool for the address of each",
			strings.Join(here, ", "),
			hostMark,
		)
	}
	if _, err := exec.LookPath(strings.Fields(l.spec.Nodetool)[0]); err != nil {
		return fmt.Errorf("--nodetool: %w", err)
	}
	return nil
}

// isHere says whether an address, with a port, is one of this host.
func isHere(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	if ip == nil {
		return false
	}
	own, _ := net.InterfaceAddrs() // what it does not tell is taken to be elsewhere
	return ip.IsLoopback() || slices.ContainsFunc(own, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.Equal(ip)
	})
}

// importKept imports the SSTables of the nodes that are on this host, one after the other, and
// tells of all nodes.
func (l *landing) importKept(ctx context.Context) []Imported {
	var all []Imported
	for _, n := range l.files.keeper.Kept() {
		address := l.t.NodeName(n.ID)
		i := Imported{Node: address, Tables: len(n.Tables)}
		if isHere(address) {
			i.Err = l.importNode(ctx, n, address)
		} else {
			i.Err = errElsewhere
		}
		if i.Err != nil {
			i.Command = l.importCommand(n)
		}
		all = append(all, i)
	}
	return all
}

// saidShown is how many bytes of what nodetool says an error has.
const saidShown = 2000

// importNode imports the SSTables of a node. Those that the server passes over are no error of
// nodetool's: they are still in the folder then.
func (l *landing) importNode(ctx context.Context, n stream.KeptNode, address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	folder := l.files.folder(n)
	words := strings.Fields(strings.ReplaceAll(l.spec.Nodetool, hostMark, host))
	words = append(words, "import", l.t.Schema.Keyspace, l.t.Schema.Name, folder)
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	said, err := command.CombinedOutput()
	if err != nil {
		said = bytes.TrimSpace(said)
		return fmt.Errorf("%s: %w: %s", words[0], err, said[:min(len(said), saidShown)])
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var left []string
	for _, f := range files {
		if strings.HasSuffix(f.Name(), "-Data.db") {
			left = append(left, f.Name())
		}
	}
	if len(left) > 0 {
		return fmt.Errorf(
			"the node has passed over %s, and its log may tell why",
			strings.Join(left, ", "),
		)
	}
	return nil
}
