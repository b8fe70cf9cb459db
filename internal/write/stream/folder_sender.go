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

// FolderSender is a Sender that keeps entire SSTables in a folder, as a Layout says. From there
// they are copied to their nodes and imported. If the file system has links, the SSTables of
// several nodes are links to the same files.
//
// An SSTable is on the disk once Send has returned. Its TOC.txt is written last. An SSTable without
// one was left by a program that was killed. Errors have no class, because failures of a disk are
// not retried.
type FolderSender struct {
	layout Layout
	place  func(ctx context.Context, from, to string) error // link, but for tests

	mu    sync.Mutex
	nodes map[string]*KeptNode // by id
}

// Layout is the names of a sender's folders and files.
type Layout struct {
	Dir   string            // the sender's folder
	Nodes map[string]string // folders of the nodes in Dir, by id; "" is Dir itself
	Table string            // folder of the SSTables in that of a node
	First int               // number of a node's first SSTable; default 1
}

// KeptNode is the SSTables that a sender has for a node.
type KeptNode struct {
	ID     string
	Folder string // of its SSTables, relative to the sender's folder
	Tables []KeptTable

	numbers int // numbers that SSTables have
}

// KeptTable is an SSTable: its partitions and rows, and the sizes of its components.
type KeptTable struct {
	component.Descriptor
	Sizes            map[component.Kind]int64
	Partitions, Rows int64
}

// NewFolderSender returns a sender for a layout.
func NewFolderSender(l Layout) *FolderSender {
	l.First = max(l.First, 1)
	return &FolderSender{layout: l, place: link, nodes: make(map[string]*KeptNode)}
}

// Send is a method of Sender.
func (s *FolderSender) Send(ctx context.Context, node string, f File) error {
	if f.Whole == nil {
		return errors.New("rows that no SSTable was made of cannot be kept")
	}
	folder, d := s.number(node, f.Whole.Version)
	if err := s.keep(ctx, filepath.Join(s.layout.Dir, folder), d, f.Whole); err != nil {
		return fmt.Errorf("SSTable: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.nodes[node]
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

// number returns the folder and the name of a node's next SSTable.
func (s *FolderSender) number(
	node string,
	v component.Version,
) (folder string, d component.Descriptor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.nodes[node]
	if n == nil {
		n = &KeptNode{ID: node, Folder: filepath.Join(s.layout.Nodes[node], s.layout.Table)}
		s.nodes[node] = n
	}
	d = component.Descriptor{Version: v, ID: strconv.Itoa(s.layout.First + n.numbers)}
	n.numbers++
	return n.Folder, d
}

// keep links or copies an SSTable into a folder, under its own name there.
func (s *FolderSender) keep(
	ctx context.Context,
	folder string,
	d component.Descriptor,
	w *Whole,
) error {
	if err := fsync.MkdirAll(folder); err != nil {
		return err
	}
	for _, c := range slices.Sorted(maps.Keys(w.Sizes)) {
		if c == component.TOCTxt {
			continue
		}
		if err := s.place(ctx, w.Path(c), filepath.Join(folder, d.Name(c))); err != nil {
			return err
		}
	}
	if err := fsync.Folder(folder); err != nil {
		return err
	}
	if err := s.place(
		ctx,
		w.Path(component.TOCTxt),
		filepath.Join(folder, d.Name(component.TOCTxt)),
	); err != nil {
		return err
	}
	return fsync.Folder(folder)
}

// link links a file to another name, or copies it if the file system has no links. It syncs the
// file.
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

// copyFile copies a file, and syncs the copy.
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

// copied is the number of bytes between checks for cancellation while a file is copied.
const copied = 16 << 20

// Kept returns the nodes that have SSTables, in the order of their folders.
func (s *FolderSender) Kept() []KeptNode {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []KeptNode
	for _, n := range s.nodes {
		kept := *n
		kept.Tables = slices.SortedFunc(slices.Values(n.Tables), func(a, b KeptTable) int {
			return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
		})
		all = append(all, kept)
	}
	slices.SortFunc(all, func(a, b KeptNode) int { return cmp.Compare(a.Folder, b.Folder) })
	return all
}

// Clear removes the table's SSTables that an earlier sender left in the folder, complete or not,
// and the folders that are empty then. It removes nothing else.
func (s *FolderSender) Clear() error {
	entries, err := os.ReadDir(s.layout.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	nodes := []string{""}
	for _, e := range entries {
		nodes = append(nodes, e.Name())
	}
	for _, node := range nodes {
		folder := filepath.Join(s.layout.Dir, node, s.layout.Table)
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
		for empty := folder; empty != filepath.Clean(s.layout.Dir); empty = filepath.Dir(empty) {
			_ = os.Remove(empty) // it stays when something else is in it
		}
	}
	return nil
}
