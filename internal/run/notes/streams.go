package notes

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// StreamsFile is the file of a run directory that has what nodes were streamed, while the load is
// under way.
const StreamsFile = "streams.json"

// notesTime is how old the note of streams may be.
const notesTime = 2 * time.Second

// KeepStreams notes what nodes were streamed, every two seconds until stop is called, and then
// removes the note. If it cannot be written, it warns, and notes no more.
func KeepStreams(dir string, c *progress.Counters, warn func(string, ...any)) (stop func()) {
	path := filepath.Join(dir, StreamsFile)
	return repeat(notesTime, func(last bool) bool {
		if last {
			_ = os.Remove(path) // it is read only while the run is under way
			return false
		}
		list := c.Streams.List()
		if len(list) == 0 {
			return true
		}
		text, err := json.Marshal(list)
		if err == nil {
			err = fsync.Replace(path, append(text, '\n'))
		}
		if err != nil {
			warn("what nodes were streamed cannot be noted: %v", err)
		}
		return err == nil
	})
}

// ReadStreams reads what a run that is under way noted; nothing where it has noted nothing.
func ReadStreams(dir string) []progress.Streamed {
	text, err := os.ReadFile(filepath.Join(dir, StreamsFile))
	if err != nil {
		return nil
	}
	var list []progress.Streamed
	if json.Unmarshal(text, &list) != nil {
		return nil
	}
	return list
}
