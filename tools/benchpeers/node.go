package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
)

// keyspace holds the tables; it has one replica.
const keyspace = "bench"

// A database is what loads go to.
type database interface {
	// create drops the table and creates it.
	create(ctx context.Context, d *dataset) error
	// empty truncates the table, and waits until what that sets off is done.
	empty(ctx context.Context, d *dataset) error
	// flush waits until what was loaded is on the disk, and until work that it caused is done.
	flush(ctx context.Context, d *dataset) error
	count(ctx context.Context, d *dataset) (int64, error)
	// cpu is the processor time that the server has taken since it was started.
	cpu() (time.Duration, error)
}

// node is a Cassandra of one node on this machine.
type node struct {
	host    string
	version string
	jars    string // folder
	pid     int
	cqlbulk string // the program, which counts
	session *driver.Session
	agent   *agent
}

// connect finds the node of the cluster whose folder is given.
func connect(ctx context.Context, root, cluster, host string) (*node, error) {
	n := &node{host: host, cqlbulk: filepath.Join(root, "bin/cqlbulk")}
	folder := filepath.Join(root, ".cache/cassandra", cluster)
	settings, err := os.ReadFile(filepath.Join(folder, "cluster.env"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(settings)) {
		if version, ok := strings.CutPrefix(strings.TrimSpace(line), "version="); ok {
			n.version = version
		}
	}
	n.jars = filepath.Join(root, ".cache/cassandra/jars-"+n.version)
	if n.pid, err = readNumber(filepath.Join(folder, "node1/pid")); err != nil {
		return nil, err
	}
	port, err := readNumber(filepath.Join(folder, "node1/jmx-port"))
	if err != nil {
		return nil, err
	}
	if n.session, err = driver.Connect(
		ctx,
		driver.Config{Hosts: []string{host}, Timeout: 2 * time.Minute},
	); err != nil {
		return nil, err
	}
	if n.agent, err = startAgent(
		filepath.Join(root, ".cache/bench-peers/classes"),
		port,
	); err != nil {
		n.session.Close()
		return nil, err
	}
	return n, nil
}

func readNumber(file string) (int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

func (n *node) close() error {
	n.session.Close()
	return n.agent.close()
}

func (n *node) create(ctx context.Context, d *dataset) error {
	for _, stmt := range []string{
		"CREATE KEYSPACE IF NOT EXISTS " + keyspace + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
		"DROP TABLE IF EXISTS " + d.table(),
		d.cql(),
	} {
		if err := n.session.Exec(ctx, stmt); err != nil {
			return err
		}
	}
	return nil
}

// empty leaves no snapshot: the clusters of deploy/cassandra have auto_snapshot switched off.
func (n *node) empty(ctx context.Context, d *dataset) error {
	if err := n.session.Exec(ctx, "TRUNCATE "+d.table()); err != nil {
		return err
	}
	return n.flush(ctx, d)
}

func (n *node) flush(ctx context.Context, d *dataset) error {
	if err := n.agent.flush(d); err != nil {
		return err
	}
	// Between two compactions that follow one another there may be a moment without any.
	for idle := 0; idle < 5; {
		compactions, err := n.agent.compactions()
		if err != nil {
			return err
		}
		idle++
		if compactions > 0 {
			idle = 0
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for compactions: %w", ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}

func (n *node) count(ctx context.Context, d *dataset) (int64, error) {
	// The node's estimates are of the table before, so the number of parts is given.
	cmd := exec.CommandContext(
		ctx,
		n.cqlbulk,
		"count",
		d.table(),
		"--hosts",
		n.host,
		"--splits",
		"64",
		"--quiet",
	)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
		}
		return 0, fmt.Errorf("cqlbulk count: %w", err)
	}
	return strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
}

func (n *node) cpu() (time.Duration, error) { return cpuOf(n.pid, false) }

// agent is deploy/peers/NodeAgent.java, which keeps a JMX connection open.
type agent struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers *bufio.Scanner
}

func startAgent(classes string, jmxPort int) (*agent, error) {
	cmd := exec.Command(
		javaProgram(),
		"-Xmx64m",
		"-XX:+UseSerialGC",
		"-XX:TieredStopAtLevel=1",
		"-cp",
		classes,
		"NodeAgent",
		strconv.Itoa(jmxPort),
	)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	a := &agent{cmd: cmd, in: in, answers: bufio.NewScanner(out)}
	_, err = a.compactions() // waits until it is connected
	return a, err
}

func (a *agent) ask(question string) (string, error) {
	if _, err := fmt.Fprintln(a.in, question); err != nil {
		return "", fmt.Errorf("node agent: %w", err)
	}
	if !a.answers.Scan() {
		return "", fmt.Errorf("node agent: %w", errors.Join(io.ErrUnexpectedEOF, a.answers.Err()))
	}
	return a.answers.Text(), nil
}

// do has the agent do something.
func (a *agent) do(command string) error {
	answer, err := a.ask(command)
	if err == nil && answer != "ok" {
		err = fmt.Errorf("%s: %s", command, answer)
	}
	return err
}

func (a *agent) flush(d *dataset) error { return a.do("flush " + keyspace + " " + d.name) }

// limitStreaming sets the largest number of MiB a second that the node streams out; 0: no limit.
func (a *agent) limitStreaming(mebibytes int) error {
	return a.do(fmt.Sprintf("streamout %d", mebibytes))
}

// defaultStreaming is Cassandra's own limit (stream_throughput_outbound).
const defaultStreaming = 24

// compactions is how many run or wait.
func (a *agent) compactions() (int, error) {
	answer, err := a.ask("compactions")
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(answer)
	if err != nil {
		return 0, fmt.Errorf("compactions: %s", answer)
	}
	return n, nil
}

func (a *agent) close() error {
	return errors.Join(a.in.Close(), a.cmd.Wait())
}

// javaProgram is the one of JAVA_HOME, which deploy/bench-peers sets.
func javaProgram() string {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		return filepath.Join(home, "bin/java")
	}
	return "java"
}
