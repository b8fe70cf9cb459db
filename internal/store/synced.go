package store

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrUnsynced is the error of an object that was closed before its last bytes were synced: after a
// failure, or when the output was stopped.
var ErrUnsynced = errors.New("closed before it was on the disk")

// Synced is an unfinished object of a [SyncGroup]. It knows whether it is on the disk. Sync may run
// beside a Write, and takes no other lock than Close does. Its errors stay: after a sync has
// failed, a later one that succeeds proves nothing.
type Synced struct {
	writer StagedWriter
	name   string
	group  *SyncGroup
	dirty  atomic.Bool // written to since the last sync began

	mu     sync.Mutex
	closed bool
	err    error
}

// Write appends bytes.
func (s *Synced) Write(b []byte) (int, error) {
	n, err := s.writer.Write(b)
	// Not before: a Sync that runs beside would reset it, and the bytes come after.
	s.dirty.Store(true)
	return n, err
}

// Sync syncs what was written.
func (s *Synced) Sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.err != nil || !s.dirty.Load() {
		return s.err
	}
	s.dirty.Store(false)
	s.err = s.writer.Sync()
	return s.err
}

// Close closes the object. If it was not synced, the group's Sync returns [ErrUnsynced].
func (s *Synced) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed && s.err == nil && s.dirty.Load() {
		s.err = ErrUnsynced
	}
	s.closed = true
	err := s.writer.Close()
	if s.err == nil {
		s.err = err
	}
	if s.err == nil {
		s.group.remove(s)
	}
	return err
}

// SyncGroup is the unfinished objects of an output that may not be on the disk yet, and their
// names. The zero value is an empty group. All of it is safe for concurrent use.
type SyncGroup struct {
	syncing sync.Mutex // one Sync at a time, so that none returns too early

	mu      sync.Mutex
	objects map[*Synced]struct{}
	names   bool // objects were added since the names were synced
}

// Add puts an object into the group that was created or cut just now. name is that of errors.
func (g *SyncGroup) Add(w StagedWriter, name string) *Synced {
	s := &Synced{writer: w, name: name, group: g}
	s.dirty.Store(true)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.objects == nil {
		g.objects = map[*Synced]struct{}{}
	}
	g.objects[s] = struct{}{}
	g.names = true
	return s
}

func (g *SyncGroup) remove(s *Synced) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.objects, s)
}

// take returns the objects, and whether the names are due.
func (g *SyncGroup) take() (objects []*Synced, names bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for s := range g.objects {
		objects = append(objects, s)
	}
	names, g.names = g.names, false
	return objects, names
}

func (g *SyncGroup) namesAreDue() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.names = true
}

// Sync syncs every object of the group, and with syncNames their names if any are new. Objects
// without new bytes cost nothing. It returns the first error, as fail makes it of an object's name.
// The error of an object stays: every later Sync repeats it.
func (g *SyncGroup) Sync(syncNames func() error, fail func(name string, err error) error) error {
	g.syncing.Lock()
	defer g.syncing.Unlock()
	objects, names := g.take()
	var first error
	for _, s := range objects {
		if err := s.Sync(); err != nil && first == nil {
			first = fail(s.name, err)
		}
	}
	if names {
		if err := syncNames(); err != nil {
			g.namesAreDue()
			if first == nil {
				first = err
			}
		}
	}
	return first
}
