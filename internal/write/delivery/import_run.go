package delivery

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

// Imported is the result of importing a node's SSTables.
type Imported struct {
	Node   string // its address
	Tables int
	Err    error // nil: the node has taken all of them
	// Command is what to run on the node if nothing was run, or it failed.
	Command string
}

// errElsewhere is the error of a node whose command cannot be run here.
var errElsewhere = errors.New("the node is not on this host")

// hostMark stands for a node's address in --nodetool.
const hostMark = "{host}"

// refuseImport returns an error if --import cannot work from this host.
func (d *Delivery) refuseImport(by ImportMethod) error {
	if !d.Spec.Import {
		return nil
	}
	if by != byImport {
		return errors.New(
			"--import: only nodes of Cassandra 4.0 to 5.0, where they are known, import by nodetool",
		)
	}
	var here []string
	for _, n := range d.Table.Cluster.Nodes {
		if IsHere(n.Address) {
			here = append(here, n.Address)
		}
	}
	switch {
	case len(here) == 0:
		return errors.New("--import: no node of the cluster is on this host")
	case len(here) > 1 && !strings.Contains(d.Spec.Nodetool, hostMark):
		return fmt.Errorf(
			"--import: several nodes are on this host (%s): write %s in --nodetool for the address of each",
			strings.Join(here, ", "),
			hostMark,
		)
	}
	if _, err := exec.LookPath(strings.Fields(d.Spec.Nodetool)[0]); err != nil {
		return fmt.Errorf("--nodetool: %w", err)
	}
	return nil
}

// IsHere reports whether an address, with a port, is one of this host.
func IsHere(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	if ip == nil {
		return false
	}
	own, _ := net.InterfaceAddrs() // an address that it does not have counts as elsewhere
	return ip.IsLoopback() || slices.ContainsFunc(own, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.Equal(ip)
	})
}

// importKept imports the SSTables of the nodes on this host, one node after another. It returns a
// result for every node.
func (d *Delivery) importKept(ctx context.Context) []Imported {
	var all []Imported
	for _, n := range d.Folder.Sender.Kept() {
		address := d.Table.NodeName(n.ID)
		i := Imported{Node: address, Tables: len(n.Tables)}
		if IsHere(address) {
			i.Err = d.importNode(ctx, n, address)
		} else {
			i.Err = errElsewhere
		}
		if i.Err != nil {
			i.Command = d.importCommand(n)
		}
		all = append(all, i)
	}
	return all
}

// saidShown is the number of bytes of nodetool's output that an error has.
const saidShown = 2000

// importNode imports the SSTables of a node. nodetool reports no error for those that the server
// skips: they are still in the folder then.
func (d *Delivery) importNode(ctx context.Context, n stream.KeptNode, address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	folder := d.Folder.folder(n)
	words := strings.Fields(strings.ReplaceAll(d.Spec.Nodetool, hostMark, host))
	words = append(words, "import", d.Table.Schema.Keyspace, d.Table.Schema.Name, folder)
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
			"the node has skipped %s; see its log",
			strings.Join(left, ", "),
		)
	}
	return nil
}
