package stream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// keeping makes a target whose SSTables are kept in a folder.
func keeping(t *testing.T, set func(*Options)) (*Target, *nodes, *FolderSender, string) {
	t.Helper()
	dir := t.TempDir()
	var k *FolderSender
	tg, n := newTarget(t, func(o *Options) {
		k = NewFolderSender(
			Layout{
				Dir:   dir,
				Nodes: map[string]string{"node0": "n0", "node1": "n1", "node2": "n2"},
				Table: "demo/readings-00",
			},
		)
		o.Sender, o.Whole = k, &WholeOptions{FilterChance: 0.01, IndexInterval: 128}
		if set != nil {
			set(o)
		}
	})
	return tg, n, k, dir
}

// tocs lists the SSTables that look whole.
func tocs(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*/demo/readings-00/*-TOC.txt"))
	require.NoError(t, err)
	return found
}

// Each node has its rows in a folder of its own, in entire SSTables numbered from 1, which Kept
// lists.
func TestKeptTablesAreWholeAndEachNodesOwn(t *testing.T) {
	p := &pieces{}
	rows, last := many(p, 4000)
	complete := 0
	tg, n, k, dir := keeping(t, func(o *Options) {
		o.Complete = func(context.Context) error {
			complete++
			require.Zero(t, p.written, "rows were completed before all was there")
			return nil
		}
	})
	require.NoError(t, load(t, tg, rows))
	require.Equal(t, 4000, p.written)
	require.Equal(t, 1, complete)
	kept := k.Kept()
	require.Len(t, kept, 3)
	for i, node := range kept {
		require.Equal(t, []string{"node0", "node1", "node2"}[i], node.ID)
		require.Equal(t, []string{"n0", "n1", "n2"}[i]+"/demo/readings-00", node.Folder)
		require.Greater(t, len(node.Tables), 1, "files were to be small")
		var files int
		for number, table := range node.Tables {
			require.Equal(
				t,
				component.Descriptor{Version: component.NB, ID: strconv.Itoa(number + 1)},
				table.Descriptor,
			)
			verified, err := tablefile.Verify(
				tablefile.Folder(filepath.Join(dir, node.Folder), table.Descriptor),
				tablefile.Check{
					Schema:        tg.schema,
					Ranges:        []token.Range{token.Whole(token.Murmur3)},
					IndexInterval: 128,
				},
			)
			require.NoError(t, err)
			require.Equal(t, table.Sizes, verified.Sizes)
			require.Equal(t, table.Partitions, verified.Partitions)
			require.Equal(t, table.Rows, verified.Rows)
			files += len(table.Sizes)
			data, err := os.ReadFile(filepath.Join(dir, node.Folder, table.Name(component.DataDB)))
			require.NoError(t, err)
			require.NoError(
				t,
				n.take(
					node.ID,
					File{
						Bytes: int64(len(data)),
						Keys:  table.Partitions,
						Open:  func() io.Reader { return bytes.NewReader(data) },
					},
				),
			)
		}
		there, err := os.ReadDir(filepath.Join(dir, node.Folder))
		require.NoError(t, err)
		require.Len(t, there, files)
	}
	n.requireRows(t, last)
}

// Replicas of one set share their files, where the file system can; where it cannot, each has a
// copy.
func TestKeptTablesOfASetAreLinks(t *testing.T) {
	for name, place := range map[string]func(context.Context, string, string) error{
		"links": link,
		"copies": func(ctx context.Context, from, to string) error {
			in, err := os.Open(from)
			require.NoError(t, err)
			defer in.Close()
			return copyFile(ctx, in, to)
		},
	} {
		t.Run(name, func(t *testing.T) {
			rows, _ := many(&pieces{}, 1000)
			tg, _, k, dir := keeping(t, func(o *Options) {
				o.FileBytes = 1 << 20
				o.Ignored = map[string]bool{
					"node2": true,
				} // a set of both of the others among those that are left
			})
			k.place = place
			require.NoError(t, load(t, tg, rows))
			var infos [2][]os.FileInfo
			for i, node := range k.Kept() {
				for _, table := range node.Tables {
					info, err := os.Stat(
						filepath.Join(dir, node.Folder, table.Name(component.DataDB)),
					)
					require.NoError(t, err)
					infos[i] = append(infos[i], info)
				}
			}
			shared := 0
			for _, a := range infos[0] {
				for _, b := range infos[1] {
					if os.SameFile(a, b) {
						shared++
					}
				}
			}
			require.Equal(t, map[string]int{"links": 1, "copies": 0}[name], shared)
		})
	}
}

// Where a row is for one of its replicas alone, each is there once, in the version that was asked
// for.
func TestKeptTablesOfSingleReplicas(t *testing.T) {
	rows, _ := many(&pieces{}, 1000)
	tg, _, k, dir := keeping(t, func(o *Options) { o.Single, o.Version = true, component.MD })
	require.NoError(t, load(t, tg, rows))
	var partitions int64
	for _, node := range k.Kept() {
		for _, table := range node.Tables {
			require.Equal(t, component.MD, table.Version)
			require.FileExists(t, filepath.Join(dir, node.Folder, table.Name(component.TOCTxt)))
			partitions += table.Partitions
		}
	}
	require.Len(t, k.Kept(), 3, "the rows are shared out")
	require.Equal(t, tg.Stats().Partitions, partitions)
}

// However early a keeper is stopped, what looks whole is whole; and what it left is replaced.
func TestKeptTableLooksWholeOnlyWhenItIs(t *testing.T) {
	rows, _ := many(&pieces{}, 100)
	full := errors.New("no space left on device")
	whole := 0
	for limit := range 40 {
		tg, _, k, dir := keeping(t, func(o *Options) { o.FileBytes, o.Sessions = 1<<20, 1 })
		placed := 0
		k.place = func(ctx context.Context, from, to string) error {
			if placed == limit {
				return full
			}
			placed++
			return link(ctx, from, to)
		}
		require.ErrorIs(t, load(t, tg, rows), full)
		for _, toc := range tocs(t, dir) {
			d, _, err := component.ParseName(filepath.Base(toc))
			require.NoError(t, err)
			_, err = tablefile.Verify(
				tablefile.Folder(filepath.Dir(toc), d),
				tablefile.Check{
					Schema:        tg.schema,
					Ranges:        []token.Range{token.Whole(token.Murmur3)},
					IndexInterval: 128,
				},
			)
			require.NoError(t, err)
			whole++
		}
		other := filepath.Join(dir, "n1", "demo", "readings-00", "notes.txt")
		require.NoError(t, os.MkdirAll(filepath.Dir(other), 0o700))
		require.NoError(t, os.WriteFile(other, nil, 0o600))
		require.NoError(t, k.Clear())
		var left []string
		require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			left = append(left, path)
			return err
		}))
		require.Equal(
			t,
			[]string{
				dir,
				filepath.Join(dir, "n1"),
				filepath.Join(dir, "n1", "demo"),
				filepath.Dir(other),
				other,
			},
			left,
		)
	}
	require.Positive(t, whole)
}

// Files that are there are not written over.
func TestKeptTableReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"from", "to"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
	require.ErrorIs(
		t,
		link(t.Context(), filepath.Join(dir, "from"), filepath.Join(dir, "to")),
		os.ErrExist,
	)
	text, err := os.ReadFile(filepath.Join(dir, "to"))
	require.NoError(t, err)
	require.Equal(t, "to", string(text))
}

// A load of no rows has no SSTables, and is complete.
func TestKeptTablesOfNoRows(t *testing.T) {
	complete := 0
	tg, _, k, dir := keeping(
		t,
		func(o *Options) { o.Complete = func(context.Context) error { complete++; return nil } },
	)
	require.NoError(t, load(t, tg, nil))
	require.Equal(t, 1, complete)
	require.Empty(t, k.Kept())
	require.NoError(t, k.Clear())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// Rows that no SSTable was made of are not taken.
func TestKeeperTakesWholeTablesAlone(t *testing.T) {
	require.ErrorContains(
		t,
		NewFolderSender(Layout{Dir: t.TempDir(), Table: "k/t"}).Send(t.Context(), "node0", File{}),
		"no SSTable was made",
	)
}
