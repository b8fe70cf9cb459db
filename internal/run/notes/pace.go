// Package notes is what a run that is under way notes in its run directory for other processes. It
// is how fast the run is, and what nodes were streamed. The journal does not have these. A run
// continues if a note cannot be written.
package notes

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
)

// paceTime is how old the pace of a run that is under way may be, as others see it.
const paceTime = time.Second

// pace is what a run notes of its pace beside its journal, which has no times.
type pace struct {
	At      time.Time        `json:"at"`
	Seconds float64          `json:"seconds"` // since its process began or resumed the run
	Reading progress.Reading `json:"reading"`
}

// KeepPace notes how fast the run of a run directory is, each second until stop is called, and then
// once more. A run that continues an earlier one adds the time that one took. If a note cannot be
// written, it warns, and notes no more.
func KeepPace(
	dir string,
	continued bool,
	c *progress.Counters,
	warn func(string, ...any),
) (stop func()) {
	if continued {
		if p, ok := readNoted(dir); ok {
			c.EarlierTime.Store(int64(durationOf(p.Reading.EarlierSeconds + p.Seconds)))
		}
	}
	began := time.Now()
	note := func(read func(time.Time) progress.Reading) error {
		now := time.Now()
		took := cmp.Or(c.Took(), now.Sub(began))
		text, err := json.Marshal(pace{now.UTC(), took.Seconds(), read(now)})
		if err != nil {
			return err
		}
		// No sync: after the machine went down, the pace does not matter.
		path := filepath.Join(dir, records.PaceFile)
		if err := writeOver(path+records.PartEnding, text); err != nil {
			return err
		}
		return os.Rename(path+records.PartEnding, path)
	}
	return repeat(paceTime, func(last bool) bool {
		read := c.Read
		if last {
			read = c.ReadNow
		}
		err := note(read)
		if err != nil && !errors.Is(err, syscall.ENOSPC) { // the run itself reports a full disk
			warn("the pace of the run cannot be noted: %v", err)
		}
		return err == nil
	})
}

// repeat calls note at each interval, and once more, with last, when stop is called. It does not
// call note after it returned false. stop waits for the last call.
func repeat(interval time.Duration, note func(last bool) bool) (stop func()) {
	over := make(chan struct{})
	var noting sync.WaitGroup
	noting.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for last := false; !last; {
			select {
			case <-over:
				last = true
			case <-ticker.C:
			}
			if !note(last) {
				return
			}
		}
	})
	return func() {
		close(over)
		noting.Wait()
	}
}

// writeOver writes a file in place of one that a killed run may have left. It makes a new
// file, so that a link of that name leads nowhere.
func writeOver(path string, text []byte) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// Pace is how fast a run is, or was.
type Pace struct {
	Share *float64 // of the work that is done, 0 to 1; nil: not known
	// of now where the run is under way, else of its last process; 0: not known
	RowsPerSecond float64
	Left          time.Duration // a guess, of a run that is under way; 0: none
	Took          time.Duration // that the last process took; 0: not known
	Earlier       time.Duration // that the processes before it took
	EarlierRows   int64         // that they wrote
	Rejected      int64         // rows, when the run was last heard of
	// written when the run was last heard of, recorded in its journal or not; 0: not known
	Rows int64
	// where a run stands that is under way; nil: it is not, or has not said so
	Now *progress.Reading
}

// ReadPace reads what a run noted; nothing where it has noted nothing.
func ReadPace(dir string, live bool) Pace {
	p, ok := readNoted(dir)
	if !ok {
		return Pace{}
	}
	r := p.Reading
	out := Pace{
		Share:         r.Share,
		Rows:          r.Rows,
		Rejected:      r.Rejected,
		RowsPerSecond: r.RowsPerSecond,
		Left:          durationOf(r.Left),
		Took:          durationOf(p.Seconds),
		Earlier:       durationOf(r.EarlierSeconds),
		EarlierRows:   r.Earlier,
	}
	if live {
		out.Now = &r
	} else {
		if r.Stage != nil { // it was killed: what it was sending is sent again
			out.Share = r.Settled
		}
		out.RowsPerSecond, out.Left = float64(r.Rows-r.Earlier)/max(p.Seconds, 0.001), 0
	}
	return out
}

// readNoted reads what the last process of a run noted; false where it has noted nothing.
func readNoted(dir string) (p pace, ok bool) {
	text, err := os.ReadFile(filepath.Join(dir, records.PaceFile))
	return p, err == nil && json.Unmarshal(text, &p) == nil
}

// durationOf is a number of seconds, to the nanosecond that it was written with.
func durationOf(seconds float64) time.Duration {
	return time.Duration(math.Round(seconds * float64(time.Second)))
}
