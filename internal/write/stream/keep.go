package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// Keeper is a Sender that keeps whole SSTables in a folder, from which they are copied to their
// nodes and imported there, as a Layout says. The SSTables of several nodes are links to the same
// files, where the file system has links.
//
// An SSTable is on the disk once Send has returned. Its TOC.txt comes last, so that what has none
// was left by a program that was killed. Errors have no class: what fails on a disk is not tried
// again.
type Keeper struct {
	layout Layout
	place  func(ctx context.Context, from, to string) error // link, but for tests

	mu    sync.Mutex
	nodes map[string]*KeptNode // by id
}

// Layout is how a keeper calls its folders and files.
type Layout struct {
	Dir   string            // the keeper's own
	Nodes map[string]string // folders of the nodes in Dir, by id; "" is Dir itself
	Table string            // folder of the SSTables in that of a node
	First int               // number of a node's first SSTable, which tells them apart; default 1
}

// KeptNode is what a keeper has for a node.
type KeptNode struct {
	ID     string
	Folder string // of its SSTables, from that of the keeper
	Tables []KeptTable

	numbers int // that were given to SSTables
}

// KeptTable is an SSTable: its partitions and rows, and the sizes of its components.
type KeptTable struct {
	component.Descriptor
	Sizes            map[component.Kind]int64
	Partitions, Rows int64
}

// NewKeeper makes a keeper.
func NewKeeper(l Layout) *Keeper {
	l.First = max(l.First, 1)
	return &Keeper{layout: l, place: link, nodes: make(map[string]*KeptNode)}
}

// Send is a method of Sender.
func (k *Keeper) Send(ctx context.Context, node string, f File) error {
	if f.Whole == nil {
		return errors.New("rows that no SSTable was made of cannot be kept")
	}
	folder, d := k.number(node, f.Whole.Version)
	if err := k.keep(ctx, filepath.Join(k.layout.Dir, folder), d, f.Whole); err != nil {
		return fmt.Errorf("SSTable: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	n := k.nodes[node]
	n.Tables = append(
		n.Tables,
		KeptTable{
			Descriptor: d,
			Sizes:      f.Whole.Sizes,
			Partitions: f.Whole.Partitions,
			Rows:       f.Whole.Rows,
		},
	)
	return nil
}

// number gives a node's next SSTable its name.
func (k *Keeper) number(node string, v component.Version) (folder string, d component.Descriptor) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := k.nodes[node]
	if n == nil {
		n = &KeptNode{ID: node, Folder: filepath.Join(k.layout.Nodes[node], k.layout.Table)}
		k.nodes[node] = n
	}
	d = component.Descriptor{Version: v, ID: strconv.Itoa(k.layout.First + n.numbers)}
	n.numbers++
	return n.Folder, d
}

// keep puts an SSTable into a folder, under a name of its own.
func (k *Keeper) keep(ctx context.Context, folder string, d component.Descriptor, w *Whole) error {
	if err := fsync.MkdirAll(folder); err != nil {
		return err
	}
	for _, c := range slices.Sorted(maps.Keys(w.Sizes)) {
		if c == component.TOCTxt {
			continue
		}
		if err := k.place(ctx, w.Path(c), filepath.Join(folder, d.Name(c))); err != nil {
			return err
		}
	}
	if err := fsync.Folder(folder); err != nil {
		return err
	}
	if err := k.place(
		ctx,
		w.Path(component.TOCTxt),
		filepath.Join(folder, d.Name(component.TOCTxt)),
	); err != nil {
		return err
	}
	return fsync.Folder(folder)
}

// link gives a file another name, or copies it where it cannot have one, and has its bytes on the
// disk.
func link(ctx context.Context, from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // nothing is lost when a reader does not close well
	switch err := os.Link(from, to); {
	case err == nil:
		return in.Sync()
	case errors.Is(err, fs.ErrExist):
		return err
	}
	return copyFile(ctx, in, to)
}

// copyFile copies a file, which is on the disk then.
func copyFile(ctx context.Context, in io.Reader, to string) (err error) {
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		_, err := io.CopyN(out, in, copied)
		if errors.Is(err, io.EOF) {
			return out.Sync()
		}
		if err != nil {
			return err
		}
	}
}

// copied is how much of a file is copied before it is asked whether to go on, in bytes.
const copied = 16 << 20

// Kept tells of the nodes that have SSTables, in the order of their folders.
func (k *Keeper) Kept() []KeptNode {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []KeptNode
	for _, n := range k.nodes {
		kept := *n
		kept.Tables = slices.SortedFunc(slices.Values(n.Tables), func(a, b KeptTable) int {
			return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
		})
		all = append(all, kept)
	}
	slices.SortFunc(all, func(a, b KeptNode) int { return cmp.Compare(a.Folder, b.Folder) })
	return all
}

// Clear removes the SSTables of the table that an earlier keeper left in the folder, whole or not,
// and the folders that are empty then. Whatever else is there stays.
func (k *Keeper) Clear() error {
	entries, err := os.ReadDir(k.layout.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	nodes := []string{""}
	for _, e := range entries {
		nodes = append(nodes, e.Name())
	}
	for _, node := range nodes {
		folder := filepath.Join(k.layout.Dir, node, k.layout.Table)
		files, err := os.ReadDir(folder)
		if err != nil {
			continue // it is no folder of a node
		}
		for _, f := range files {
			if _, _, err := component.ParseName(f.Name()); err != nil {
				continue
			}
			if err := os.Remove(filepath.Join(folder, f.Name())); err != nil {
				return err
			}
		}
		for empty := folder; empty != filepath.Clean(k.layout.Dir); empty = filepath.Dir(empty) {
			_ = os.Remove(empty) // it stays when something else is in it
		}
	}
	return nil
}
