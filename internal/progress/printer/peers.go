package printer

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// peers are the programs of one pipe that show themselves on one terminal. Each keeps its reading
// in a small file, in a folder that only the user can write to, so that the program that draws can
// show all. Without such a folder, each program draws itself.
type peers struct {
	dir    string // empty: there is none
	prefix string // of all their file names: the terminal and the process group
	own    int    // process id
}

// neighbors are the readings of the other programs of a pipe: those that began before this one, and
// after it, in order.
type neighbors struct{ before, after []progress.Reading }

// A reading that is older than fresh is of a program that no longer draws. One that is older than
// stale is of a program that was killed.
const (
	fresh = 2 * time.Second
	stale = time.Minute
)

// newPeers finds the folder for the programs on a terminal.
func newPeers(terminal *os.File) *peers {
	var tty unix.Stat_t
	if unix.Fstat(int(terminal.Fd()), &tty) != nil {
		return &peers{}
	}
	base := os.Getenv("XDG_RUNTIME_DIR")
	if info, err := os.Stat(base); err != nil || !info.IsDir() {
		base = os.TempDir()
	}
	dir := filepath.Join(base, fmt.Sprintf("cqlbulk-%d", os.Getuid()))
	_ = os.Mkdir(dir, 0o700) // it may exist; else the next call fails
	if info, err := os.Lstat(dir); err != nil || !private(info) {
		return &peers{}
	}
	forget(dir)
	return &peers{dir, fmt.Sprintf("live-%x-%d-", tty.Rdev, unix.Getpgrp()), os.Getpid()}
}

// forget removes the files of programs that were killed.
func forget(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > stale {
			_ = os.Remove(filepath.Join(dir, e.Name())) // if it fails, the next program removes it
		}
	}
}

// private reports whether a folder belongs to the user, and no other user can write to it.
func private(info os.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.IsDir() && int(owner.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}

// name returns the file of a program.
func (p *peers) name(pid int) string { return filepath.Join(p.dir, p.prefix+strconv.Itoa(pid)) }

// meet writes this program's reading for the others, and returns theirs.
func (p *peers) meet(own progress.Reading) (others neighbors) {
	if p.dir == "" {
		return others
	}
	if text, err := json.Marshal(own); err == nil {
		next := p.name(p.own) + ".new"
		if os.WriteFile(next, text, 0o600) == nil {
			_ = os.Rename(next, p.name(p.own)) // if it fails, the others do not show this program
		}
	}
	entries, _ := os.ReadDir(p.dir)
	byProcess := make(map[int]progress.Reading)
	for _, e := range entries {
		text, ok := strings.CutPrefix(e.Name(), p.prefix)
		pid, err := strconv.Atoi(text)
		if !ok || err != nil || pid == p.own {
			continue
		}
		if reading, ok := p.read(pid); ok {
			byProcess[pid] = reading
		}
	}
	// A shell starts the programs of a pipe from left to right.
	for _, pid := range slices.Sorted(maps.Keys(byProcess)) {
		if pid < p.own {
			others.before = append(others.before, byProcess[pid])
		} else {
			others.after = append(others.after, byProcess[pid])
		}
	}
	return others
}

// leave removes this program's file.
func (p *peers) leave() {
	if p.dir != "" {
		_ = os.Remove(p.name(p.own))
	}
}

// read reads the reading of another program, unless it is too old.
func (p *peers) read(pid int) (r progress.Reading, ok bool) {
	path := p.name(pid)
	info, err := os.Stat(path)
	if err != nil {
		return r, false
	}
	// A file with a future time is of a program that was killed before the clock was set back.
	if age := time.Since(info.ModTime()); age > fresh || age < -fresh {
		return r, false
	}
	text, err := os.ReadFile(path)
	return r, err == nil && json.Unmarshal(text, &r) == nil
}
