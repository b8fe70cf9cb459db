package cqlshcopy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
)

// StartRates writes lines about the pace of a copy to a file, as cqlsh does for RATEFILE. An
// earlier file of that name is removed. A line comes at every interval in which the count of rows
// changed, and one at the end. The caller ends that with stop, which returns the first error of a
// write.
func StartRates(
	name string, every time.Duration, rows func() int64,
) (stop func() error, err error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder", name)
	case info.Mode().IsRegular():
		if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	meter := newRateMeter(f, time.Now())
	ended := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case now := <-ticker.C:
				meter.look(now, rows())
			case <-ended:
				meter.add(time.Now(), rows())
				return
			}
		}
	})
	return func() error {
		close(ended)
		running.Wait()
		return errors.Join(meter.err, f.Close())
	}, nil
}

// rateMeter is RateMeter of cqlsh's copyutil.py.
type rateMeter struct {
	w           io.Writer
	begun, last time.Time
	total       int64
	rate        float64 // rows per second: the mean of the last interval's and the rate before
	err         error   // the first of a write; ends the lines
}

func newRateMeter(w io.Writer, now time.Time) *rateMeter {
	return &rateMeter{w: w, begun: now, last: now}
}

// look adds a line if there are more rows than before.
func (m *rateMeter) look(now time.Time, rows int64) {
	if rows != m.total {
		m.add(now, rows)
	}
}

// add adds a line. It ends in CR LF, as those of cqlsh.
func (m *rateMeter) add(now time.Time, rows int64) {
	if took := now.Sub(m.last).Seconds(); took > 0 {
		rate := float64(rows-m.total) / took
		if m.rate == 0 {
			m.rate = rate
		} else {
			m.rate = (m.rate + rate) / 2
		}
	}
	m.last, m.total = now, rows
	average := 0.0
	if took := now.Sub(m.begun).Seconds(); took > 0 {
		average = float64(rows) / took
	}
	if m.err == nil {
		_, m.err = fmt.Fprintf(
			m.w,
			"Processed: %d rows; Rate: %7.0f rows/s; Avg. rate: %7.0f rows/s\r\n",
			rows,
			m.rate,
			average,
		)
	}
}
