package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sampled is the time between two measurements of a client's memory.
const sampled = 50 * time.Millisecond

// usage is what a client took: of a tree of processes, or of several one after the other.
type usage struct {
	wall time.Duration // from its start until its first process ended
	cpu  time.Duration // user and system, of all its processes
	peak int64         // bytes: the highest sum of the resident memory of its processes, sampled
}

func (u *usage) add(next usage) {
	u.wall += next.wall
	u.cpu += next.cpu
	u.peak = max(u.peak, next.peak)
}

// meter runs clients. Whatever runs below this process, but for others, is taken for the client's.
type meter struct {
	others []int // process ids of servers and helpers that were started by this process
}

// newMeter has processes whose parent has ended become children of this one, so that their work is
// counted too.
func newMeter() (*meter, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("prctl: %w", err)
	}
	return &meter{}, nil
}

// run runs a command until it and all it has started have ended.
func (m *meter) run(
	ctx context.Context,
	dir string,
	env, args []string,
	output io.Writer,
) (usage, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return usage{}, err
	}
	stop, peak := make(chan struct{}), make(chan int64)
	go func() { peak <- m.watch(stop) }()
	err := cmd.Wait()
	u := usage{wall: time.Since(begin)}
	close(stop)
	u.peak = <-peak
	u.addRusage(cmd.ProcessState.SysUsage().(*syscall.Rusage))
	return u, errors.Join(err, m.reap(&u))
}

// reap waits for what a client left behind.
func (m *meter) reap(u *usage) error {
	for _, pid := range m.clients() {
		var r syscall.Rusage
		if _, err := syscall.Wait4(pid, nil, 0, &r); err != nil && !errors.Is(err, syscall.ECHILD) {
			return fmt.Errorf("waiting for process %d: %w", pid, err)
		}
		u.addRusage(&r)
	}
	return nil
}

// addRusage adds what a process that has ended took, with all that it has waited for.
func (u *usage) addRusage(r *syscall.Rusage) {
	u.cpu += time.Duration(r.Utime.Nano() + r.Stime.Nano())
	// The system's own account is exact for one process, where samples miss the height. But it
	// begins with that of the process that started it, this one: what is not above that says
	// nothing.
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err == nil && r.Maxrss > own.Maxrss {
		u.peak = max(u.peak, r.Maxrss*1024)
	}
}

// watch gives the highest sum of the clients' resident memory.
func (m *meter) watch(stop <-chan struct{}) int64 {
	ticker := time.NewTicker(sampled)
	defer ticker.Stop()
	var peak int64
	for {
		var sum int64
		for _, pid := range m.clients() {
			sum += residentBelow(pid)
		}
		peak = max(peak, sum)
		select {
		case <-stop:
			return peak
		case <-ticker.C:
		}
	}
}

// clients gives the children of this process that are not others.
func (m *meter) clients() []int {
	return slices.DeleteFunc(
		children(os.Getpid()),
		func(pid int) bool { return slices.Contains(m.others, pid) },
	)
}

// children gives the processes that a process has started, none if it has ended.
func children(pid int) []int {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	var pids []int
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, word := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// residentBelow is the resident memory of a process and all below it, in bytes. Pages that
// several share are counted for each.
func residentBelow(pid int) int64 {
	var sum int64
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)); err == nil {
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64)
			sum = pages * int64(os.Getpagesize())
		}
	}
	for _, child := range children(pid) {
		sum += residentBelow(child)
	}
	return sum
}

// ticksPerSecond is the unit of /proc/PID/stat, USER_HZ, which is the same on all systems that Go
// runs on.
const ticksPerSecond = 100

// cpuOf is the processor time that a process took so far; with waited, also that of its children
// that it has waited for.
func cpuOf(pid int, waited bool) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	return parseStat(string(text), waited)
}

// parseStat takes user and system time from a line of /proc/PID/stat.
func parseStat(text string, waited bool) (time.Duration, error) {
	// The second field is a name in parentheses, which may hold anything.
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	const utime = 11 // the 14th of all, counted from 1
	if len(fields) < utime+4 {
		return 0, fmt.Errorf("%q has too few fields", text)
	}
	n := 2
	if waited {
		n = 4
	}
	var ticks int64
	for _, field := range fields[utime : utime+n] {
		t, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%q: %w", text, err)
		}
		ticks += t
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond, nil
}
