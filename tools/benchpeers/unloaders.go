package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// unloaders unload tables.
var unloaders = []contestant{
	{
		task:     unloading,
		name:     "cqlbulk-cql",
		title:    "cqlbulk scan",
		way:      byCQL,
		settings: "default settings, with a journal",
		steps: func(b *bench, d *dataset, _ string) [][]string {
			return [][]string{b.cqlbulkScan(d)}
		},
	},
	{
		task:     unloading,
		name:     "cqlbulk-stream",
		title:    "cqlbulk scan --via stream",
		way:      bySSTables,
		settings: "default settings. The node sends its SSTables, and cqlbulk merges them. The node streams at most 24 MiB a second, its default",
		steps:    streamedScan,
	},
	{
		task:      unloading,
		name:      "cqlbulk-unlimited",
		title:     "cqlbulk scan --via stream, no limit on the node",
		way:       bySSTables,
		unlimited: true,
		settings:  "default settings. The node's limits were lifted before with `nodetool setstreamthroughput 0` and `nodetool setinterdcstreamthroughput 0`, and both with `-e`",
		steps:     streamedScan,
	},
	{
		task:     unloading,
		name:     "cqlbulk-sstables",
		title:    "cqlbulk scan --via sstables",
		way:      bySSTables,
		settings: "from a snapshot that was taken before the first round",
		steps: func(b *bench, d *dataset, _ string) [][]string {
			return [][]string{
				b.cqlbulkScan(
					d,
					"--via",
					"sstables",
					"--snapshot",
					snapshotTag,
					filepath.Join(b.root, ".cache/cassandra", b.cluster, "node1/data"),
				),
			}
		},
	},
	{
		task:     unloading,
		name:     "cqlsh",
		title:    "cqlsh COPY TO",
		way:      byCQL,
		settings: "a worker for each processor instead of one fewer, pages of 5,000 rows instead of 1,000. The driver has its C extensions",
		prepare:  installCqlsh,
		steps: func(b *bench, d *dataset, scratch string) [][]string {
			options := fmt.Sprintf(
				"HEADER = false AND NUMPROCESSES = %d AND PAGESIZE = 5000",
				runtime.NumCPU(),
			)
			copyTo := fmt.Sprintf(
				"COPY %s (%s) TO '%s' WITH %s",
				d.table(),
				d.names(),
				filepath.Join(scratch, unloaded, "all.csv"),
				options,
			)
			return [][]string{{b.cqlsh, b.node.host, "-e", copyTo}}
		},
	},
	{
		task: unloading, name: "dsbulk", title: "DSBulk unload", way: byCQL,
		settings: "default settings, without checkpoints, a heap of 2 GiB",
		prepare:  installDSBulk,
		steps: func(b *bench, d *dataset, _ string) [][]string {
			return [][]string{b.runDSBulk("unload", d, unloaded, "-header", "false")}
		},
	},
}

func streamedScan(b *bench, d *dataset, _ string) [][]string {
	return [][]string{b.cqlbulkScan(d, "--via", "stream")}
}

// unloaded is the folder, below scratch, that tables are unloaded into.
const unloaded = "out"

// snapshotTag is the name of the snapshot that is taken of a table.
const snapshotTag = "bench"

// cqlbulkScan is a scan of a dataset's table with more flags, and with folders.
func (b *bench) cqlbulkScan(d *dataset, flags ...string) []string {
	return append(
		[]string{
			b.node.cqlbulk,
			"scan",
			d.table(),
			"--hosts",
			b.node.host,
			"--header=false",
			"-o",
			filepath.Join(unloaded, "all.csv"),
		},
		flags...)
}

// fill loads the table that is to be unloaded, once, and takes a snapshot of it.
func (b *bench) fill(ctx context.Context, d *dataset) error {
	var said bytes.Buffer
	scratch, err := os.MkdirTemp(b.folder, "fill-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if err := b.node.empty(ctx, d); err != nil {
		return err
	}
	// By CQL: the table lies in several SSTables then, as one does that an application writes.
	cassandra := filepath.Join(b.root, "deploy/cassandra/cassandra")
	if _, err = b.meter.run(ctx, scratch, nil, b.cqlbulkLoad(d), &said); err == nil {
		err = b.node.flush(ctx, d)
	}
	if err == nil {
		_, err = b.meter.run(
			ctx,
			scratch,
			nil,
			[]string{
				cassandra,
				"nodetool",
				"--cluster",
				b.cluster,
				"snapshot",
				"-t",
				snapshotTag,
				"-kt",
				d.table(),
			},
			&said,
		)
	}
	if err != nil {
		err = fmt.Errorf("filling %s: %w: %s", d.table(), err, gist(said.String()))
	}
	return err
}

// countLines counts the rows of all files in a folder, and their bytes.
func countLines(folder string) (rows, size int64, err error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return 0, 0, err
	}
	for _, f := range files {
		if filepath.Ext(f.Name()) != ".csv" {
			continue // a manifest
		}
		in, err := os.Open(filepath.Join(folder, f.Name()))
		if err != nil {
			return 0, 0, err
		}
		c := &lineCounter{}
		n, err := io.Copy(c, in)
		if err := errors.Join(err, in.Close()); err != nil {
			return 0, 0, err
		}
		rows, size = rows+c.lines, size+n
	}
	return rows, size, nil
}

// lineCounter counts the line feeds that are written to it.
type lineCounter struct{ lines int64 }

func (c *lineCounter) Write(b []byte) (int, error) {
	c.lines += int64(bytes.Count(b, []byte{'\n'}))
	return len(b), nil
}
