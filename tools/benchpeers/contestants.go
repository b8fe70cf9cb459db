package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// way is how a contestant's rows reach the disk.
type way int

const (
	byCQL      way = iota // the server's usual write path
	bySSTables            // past it
	byPostgres            // in another database
)

// task is what the contestants of a run do.
type task int

const (
	loading   task = iota // files into tables
	unloading             // tables into files
)

// A contestant is a program that loads a file, or unloads a table, at the settings that are best
// for it.
type contestant struct {
	task     task
	name     string // as in --only
	title    string // on the page
	way      way
	settings string // for the page: what was set, and why
	// prepare gets what it needs; it is done once, before anything is measured.
	prepare func(ctx context.Context, b *bench) error
	// steps are its command lines, one after the other. scratch is an empty folder, which is the
	// working directory. What is unloaded goes into files in its folder out, without a header.
	steps func(b *bench, d *dataset, scratch string) [][]string
	env   []string
	// unlimited has the node stream out as fast as it can meanwhile.
	unlimited bool
	// leftover is a pattern, below scratch, of files that must not be there in the end.
	leftover string
}

// contestantsOf are all that there are of a task, in the order in which the page has them.
func contestantsOf(t task) []contestant {
	return slices.DeleteFunc(
		slices.Concat(loaders, unloaders),
		func(c contestant) bool { return c.task != t },
	)
}

// loaders load files.
var loaders = []contestant{
	{
		name:     "cqlbulk-cql",
		title:    "cqlbulk load",
		way:      byCQL,
		settings: "default settings, with a journal",
		steps: func(b *bench, d *dataset, _ string) [][]string {
			return [][]string{b.cqlbulkLoad(d)}
		},
	},
	{
		name: "cqlbulk-stream", title: "cqlbulk load --via stream", way: bySSTables,
		settings: "default settings. cqlbulk writes and verifies the SSTables, and sends them entire",
		steps: func(b *bench, d *dataset, _ string) [][]string {
			return [][]string{b.cqlbulkLoad(d, "--via", "stream")}
		},
	},
	{
		name: "cqlbulk-rows", title: "cqlbulk load --via stream --stream rows", way: bySSTables,
		settings: "cqlbulk sends sorted rows, and the node writes the SSTables",
		steps: func(b *bench, d *dataset, _ string) [][]string {
			return [][]string{b.cqlbulkLoad(d, "--via", "stream", "--stream", "rows")}
		},
	},
	{
		name:     "cqlbulk-import",
		title:    "cqlbulk load --via sstables, nodetool import",
		way:      bySSTables,
		settings: "default settings, one after the other. The files need no copying, since the node is on this machine",
		steps: func(b *bench, d *dataset, _ string) [][]string {
			// The node, too, must find the folder.
			imports := fmt.Sprintf(
				"exec %s nodetool --cluster %s import %s %s \"$PWD\"/out/*/%[3]s/%[4]s-*",
				filepath.Join(b.root, "deploy/cassandra/cassandra"),
				b.cluster,
				keyspace,
				d.name,
			)
			return [][]string{
				b.cqlbulkLoad(d, "--via", "sstables", "-d", "out"),
				{"sh", "-c", imports},
			}
		},
		leftover: "out/*/*/*/*-Data.db",
	},
	{
		name:     "cqlsh",
		title:    "cqlsh COPY FROM",
		way:      byCQL,
		settings: "a worker for each processor instead of one fewer. Batches have 50 rows instead of 20, and there is no limit of 100,000 rows a second. The driver has its C extensions",
		prepare:  installCqlsh,
		// A time without a zone is in the local one.
		env: []string{"TZ=UTC"},
		steps: func(b *bench, d *dataset, _ string) [][]string {
			options := fmt.Sprintf(
				"HEADER = true AND NUMPROCESSES = %d AND MAXBATCHSIZE = 50 AND CHUNKSIZE = 5000 AND INGESTRATE = 10000000",
				runtime.NumCPU(),
			)
			if d.null != "" {
				options += fmt.Sprintf(
					" AND NULL = '%s' AND DATETIMEFORMAT = '%%Y-%%m-%%dT%%H:%%M:%%SZ'",
					d.null,
				)
			}
			return [][]string{
				{
					b.cqlsh,
					b.node.host,
					"-e",
					fmt.Sprintf(
						"COPY %s (%s) FROM '%s' WITH %s",
						d.table(),
						d.names(),
						d.file,
						options,
					),
				},
			}
		},
	},
	{
		name:     "dsbulk",
		title:    "DSBulk",
		way:      byCQL,
		settings: "batches of 50 rows, by replica set, or by partition if the input has the rows of a partition together. No record of sources, no checkpoints, a heap of 2 GiB",
		prepare:  installDSBulk,
		steps: func(b *bench, d *dataset, _ string) [][]string {
			mode := "REPLICA_SET"
			if d.ordered {
				mode = "PARTITION_KEY"
			}
			return [][]string{
				b.runDSBulk(
					"load",
					d,
					d.file,
					"-header",
					"true",
					"--batch.mode",
					mode,
					"--batch.maxBatchStatements",
					"50",
					"--log.sources",
					"false",
				),
			}
		},
	},
	{
		name:     "sstableloader",
		title:    "CQLSSTableWriter, sstableloader",
		way:      bySSTables,
		settings: "deploy/peers/WriteSSTables.java with a writer for each processor and default buffers, then sstableloader. Heaps of 4 GiB and 1 GiB. With 2 GiB, the writer spends a sixth of its time on garbage collection",
		steps: func(b *bench, d *dataset, scratch string) [][]string {
			folder := filepath.Join(scratch, keyspace, d.name)
			types := d.joined(func(c column) string { return c.typ }, ",")
			return [][]string{
				b.cassandraJava(
					"-Xmx4g",
					"WriteSSTables",
					folder,
					d.cql(),
					d.insert(),
					types,
					d.null,
					strconv.Itoa(runtime.NumCPU()),
					d.file,
				),
				b.cassandraJava(
					"-Xmx1g",
					"org.apache.cassandra.tools.BulkLoader",
					"--no-progress",
					"-d",
					b.node.host,
					folder,
				),
			}
		},
	},
	{
		name:  "postgres",
		title: "PostgreSQL COPY",
		way:   byPostgres,
		settings: "psql's \\copy into a table with the same primary key. The server has its defaults, except " + strings.Join(
			postgresSettings,
			", ",
		),
		prepare: func(ctx context.Context, b *bench) error {
			bin, err := b.install(ctx, "deploy/peers/install-postgresql")
			if err != nil {
				return err
			}
			b.postgres, err = startPostgres(
				ctx,
				bin,
				filepath.Join(b.folder, "postgresql"),
				b.node.host,
			)
			return err
		},
		steps: func(b *bench, d *dataset, _ string) [][]string {
			options := "FORMAT csv, HEADER"
			if d.null != "" {
				options += fmt.Sprintf(", NULL '%s'", d.null)
			}
			return [][]string{
				b.postgres.psql(
					fmt.Sprintf(`\copy %s FROM '%s' WITH (%s)`, d.name, d.copied, options),
				),
			}
		},
	},
}

func (c *contestant) database(b *bench) database {
	if c.way == byPostgres {
		return b.postgres
	}
	return b.node
}

func installCqlsh(ctx context.Context, b *bench) (err error) {
	b.cqlsh, err = b.install(ctx, "deploy/cqlsh/install")
	return err
}

func installDSBulk(ctx context.Context, b *bench) (err error) {
	b.dsbulk, err = b.install(ctx, "deploy/peers/install-dsbulk")
	return err
}

// runDSBulk is a command of DSBulk with a heap of 2 GiB, without checkpoints.
func (b *bench) runDSBulk(command string, d *dataset, url string, flags ...string) []string {
	args := []string{
		javaProgram(),
		"-Xmx2g",
		"-cp",
		filepath.Join(b.dsbulk, "*"),
		"com.datastax.oss.dsbulk.runner.DataStaxBulkLoader",
		command,
		"-h",
		b.node.host,
		"-k",
		keyspace,
		"-t",
		d.name,
		"-url",
		url,
		"--log.directory",
		"logs",
		"--log.checkpoint.enabled",
		"false",
	}
	if d.null != "" {
		args = append(args, "--codec.nullStrings", d.null)
	}
	return append(args, flags...)
}

// cqlbulkLoad is a load of a dataset with more flags.
func (b *bench) cqlbulkLoad(d *dataset, flags ...string) []string {
	args := []string{b.node.cqlbulk, "load", d.table(), d.file, "--hosts", b.node.host}
	if d.null != "" {
		args = append(args, "--null-string", d.null)
	}
	return append(args, flags...)
}

// cassandraJava runs a program with the jars of the node's version.
func (b *bench) cassandraJava(heap, main string, args ...string) []string {
	conf := filepath.Join(b.root, "deploy/cassandra/conf")
	classes := strings.Join([]string{conf, b.classes, filepath.Join(b.node.jars, "*")}, ":")
	java := []string{
		javaProgram(),
		heap,
		"@" + filepath.Join(conf, "jvm-modules.options"),
		"-Dlogback.configurationFile=logback-tools.xml",
		"-cp",
		classes,
		main,
	}
	return append(java, args...)
}

// install runs a script of the repository that gets a program once, and prints where it is.
func (b *bench) install(ctx context.Context, script string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(b.root, script))
	cmd.Stderr = b.messages
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", script, err)
	}
	return strings.TrimSpace(string(out)), nil
}
