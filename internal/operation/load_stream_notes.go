package operation

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// streamsName is the file of a run directory that tells what nodes were streamed, while the load
// runs.
const streamsName = "streams.json"

// notesTime is how old what stands there may be.
const notesTime = 2 * time.Second

// noteStreams writes down again and again what nodes were streamed, for others to see, until stop
// is called.
func (l *Load) noteStreams() (stop func()) {
	if l.journal == nil || l.delivery == nil || l.spec.Via != spec.ViaStream {
		return func() {}
	}
	path := filepath.Join(l.run.path, streamsName)
	over := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		ticker := time.NewTicker(notesTime)
		defer ticker.Stop()
		for {
			select {
			case <-over:
				_ = os.Remove(path) // of a run that has ended nobody reads it
				return
			case <-ticker.C:
			}
			if list := l.job.Counters.Streams.List(); len(list) > 0 {
				text, err := json.Marshal(list)
				if err == nil {
					err = fsync.Replace(path, append(text, '\n'))
				}
				if err != nil {
					l.env.Warn("what nodes were streamed cannot be noted: %v", err)
					<-over
					return
				}
			}
		}
	})
	return func() {
		close(over)
		wg.Wait()
	}
}

// readStreams reads what a run that is under way noted; nothing where it has noted nothing.
func readStreams(dir string) []progress.Streamed {
	text, err := os.ReadFile(filepath.Join(dir, streamsName))
	if err != nil {
		return nil
	}
	var list []progress.Streamed
	if json.Unmarshal(text, &list) != nil {
		return nil
	}
	return list
}
