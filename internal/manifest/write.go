package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
)

// Write puts m at path, whole or not at all: it is written under another name in
// the same folder, has to be on the disk, and is renamed over what stood there.
// The file is readable by its owner alone.
//
// Times are brought to UTC and whole milliseconds. Options whose name speaks of a
// password or a secret are left out, nested ones too. Errors name the path.
func Write(path string, m Manifest) error { return WriteMode(path, m, 0o600) }

// WriteMode is Write of a file with that mode.
func WriteMode(path string, m Manifest, mode fs.FileMode) error {
	text, err := encode(m)
	if err != nil {
		return fmt.Errorf("manifest %s: %w", path, err)
	}
	if err := fsync.ReplaceMode(path, text, mode); err != nil {
		return fmt.Errorf("manifest %s: %w", path, err)
	}
	return nil
}

func encode(m Manifest) ([]byte, error) {
	m.Format = Format
	m.Options = withoutSecrets(m.Options)
	m.Columns = orEmpty(m.Columns)
	m.Files = orEmpty(m.Files)
	m.Ranges.Lost = orEmpty(m.Ranges.Lost)
	m.Started = m.Started.UTC().Truncate(time.Millisecond)
	m.Finished = m.Finished.UTC().Truncate(time.Millisecond)
	m.Reading = m.Reading.written()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // types are full of < and >
	e.SetIndent("", "  ")
	err := e.Encode(m)
	return b.Bytes(), err
}

// written is a copy with its times and lists as they are written.
func (r *Reading) written() *Reading {
	if r == nil {
		return nil
	}
	w := *r
	if w.Now != nil {
		now := w.Now.UTC().Truncate(time.Millisecond)
		w.Now = &now
	}
	if w.SSTables != nil {
		files := *w.SSTables
		files.Snapshots = orEmpty(files.Snapshots)
		w.SSTables = &files
	}
	return &w
}

// orEmpty makes a list that is there, so that it is written as [] and not null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// withoutSecrets copies options; values stay shared.
func withoutSecrets(options map[string]any) map[string]any {
	kept := make(map[string]any, len(options))
	for name, value := range options {
		if isSecret(name) {
			continue
		}
		if nested, ok := value.(map[string]any); ok {
			value = withoutSecrets(nested)
		}
		kept[name] = value
	}
	return kept
}

func isSecret(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "password") || strings.Contains(name, "passwd") || strings.Contains(name, "secret")
}
