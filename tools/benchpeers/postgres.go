package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// postgresPort is not the usual one, where another server may be.
const postgresPort = "55432"

// postgres is a PostgreSQL server of our own, on the host of the Cassandra.
type postgres struct {
	bin  string // folder of its programs
	host string
	cmd  *exec.Cmd
	log  *os.File
	done chan error
}

// postgresSettings differ from the defaults. The memory is that of the Cassandra. No small log
// forces a checkpoint during a load, and no vacuum begins by itself.
var postgresSettings = []string{"shared_buffers=1GB", "max_wal_size=4GB", "autovacuum=off"}

// startPostgres makes an empty server in a folder and starts it.
func startPostgres(ctx context.Context, bin, folder, host string) (*postgres, error) {
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	initdb := exec.CommandContext(
		ctx,
		filepath.Join(bin, "initdb"),
		"--pgdata",
		folder,
		"--username",
		"bench",
		"--auth",
		"trust",
		"--no-locale",
		"--encoding",
		"UTF8",
	)
	initdb.SysProcAttr = notRoot()
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	log, err := os.Create(folder + ".log")
	if err != nil {
		return nil, err
	}
	p := &postgres{bin: bin, host: host, log: log, done: make(chan error, 1)}
	args := []string{
		"-D",
		folder,
		"-c",
		"listen_addresses=" + host,
		"-c",
		"port=" + postgresPort,
		"-c",
		"unix_socket_directories=",
	}
	for _, setting := range postgresSettings {
		args = append(args, "-c", setting)
	}
	p.cmd = exec.Command(filepath.Join(bin, "postgres"), args...)
	p.cmd.SysProcAttr, p.cmd.Stdout, p.cmd.Stderr = notRoot(), log, log
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { p.done <- p.cmd.Wait() }()
	for {
		_, err := p.query(ctx, "SELECT 1")
		if err == nil {
			return p, nil
		}
		select {
		case ended := <-p.done:
			return nil, fmt.Errorf(
				"PostgreSQL did not start (see %s): %w",
				log.Name(),
				errors.Join(ended, err),
			)
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), p.close())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// notRoot has a process that root starts run in a user namespace in which it is not root.
// PostgreSQL refuses to run as root. Its files still belong to root.
func notRoot() *syscall.SysProcAttr {
	// a signal of the terminal is this program's to handle
	attr := &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 {
		const someone = 1000
		attr.Cloneflags = syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: someone, HostID: 0, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: someone, HostID: 0, Size: 1}}
	}
	return attr
}

func (p *postgres) close() error {
	err := p.cmd.Process.Signal(os.Interrupt) // a fast shutdown
	if err == nil {
		err = <-p.done
	}
	return errors.Join(err, p.log.Close())
}

// psql gives the command line for a statement or a command of psql's own.
func (p *postgres) psql(statement string) []string {
	return []string{
		filepath.Join(p.bin, "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1",
		"-h", p.host, "-p", postgresPort, "-U", "bench", "-d", "postgres", "-c", statement,
	}
}

func (p *postgres) query(ctx context.Context, statement string) (string, error) {
	args := p.psql(statement)
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", statement, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

func (p *postgres) create(ctx context.Context, d *dataset) error {
	if _, err := p.query(ctx, "DROP TABLE IF EXISTS "+d.name); err != nil {
		return err
	}
	_, err := p.query(ctx, d.sql())
	return err
}

func (p *postgres) empty(ctx context.Context, d *dataset) error {
	if _, err := p.query(ctx, "TRUNCATE "+d.name); err != nil {
		return err
	}
	return p.flush(ctx, d)
}

func (p *postgres) flush(ctx context.Context, _ *dataset) error {
	_, err := p.query(ctx, "CHECKPOINT")
	return err
}

func (p *postgres) count(ctx context.Context, d *dataset) (int64, error) {
	text, err := p.query(ctx, "SELECT count(*) FROM "+d.name)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// cpu is that of the server's first process, of its children, and of those that have ended.
func (p *postgres) cpu() (time.Duration, error) {
	sum, err := cpuOf(p.cmd.Process.Pid, true)
	if err != nil {
		return 0, err
	}
	for _, child := range children(p.cmd.Process.Pid) {
		cpu, err := cpuOf(child, false)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return 0, err
		}
		// of one that ended meanwhile nothing, as its parent may not have waited for it yet
		sum += cpu
	}
	return sum, nil
}

// version is that of the server.
func (p *postgres) version(ctx context.Context) (string, error) {
	return p.query(ctx, "SHOW server_version")
}
