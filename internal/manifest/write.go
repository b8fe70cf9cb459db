package manifest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
)

// Write writes m to path, completely or not at all. It writes a file of another name in the same
// folder, syncs it, and renames it over what was there. Only its owner can read the file.
//
// Times are converted to UTC and whole milliseconds. Options whose name has password or secret in
// it are left out, nested ones too. Errors name the path.
func Write(path string, m Manifest) error { return WriteMode(path, m, 0o600) }

// WriteMode is Write of a file with that mode.
func WriteMode(path string, m Manifest, mode fs.FileMode) error {
	return WriteEach(path, m, slices.Values(m.Files), mode)
}

// WriteEach is WriteMode with files that come one by one, instead of those of m: each is in memory
// only until it is written.
func WriteEach(path string, m Manifest, files iter.Seq[File], mode fs.FileMode) error {
	err := fsync.ReplaceBy(path, mode, func(w io.Writer) error { return Encode(w, m, files) })
	if err != nil {
		return fmt.Errorf("manifest %s: %w", path, err)
	}
	return nil
}

// Encode writes the text of a manifest, as WriteEach does.
func Encode(w io.Writer, m Manifest, files iter.Seq[File]) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if err := encode(b, m, files); err != nil {
		return err
	}
	return b.Flush()
}

// noFiles is how an empty list of files stands in a manifest. It stands there once: the text of a
// string has no line end.
const noFiles = "\n  \"files\": []"

// encode writes a manifest, its files one by one: 100,000 of them would take their text several
// times in memory.
func encode(w io.Writer, m Manifest, files iter.Seq[File]) error {
	m.Format = Format
	m.Options = withoutSecrets(m.Options)
	m.Columns = orEmpty(m.Columns)
	m.Files = []File{}
	m.Ranges.Lost = orEmpty(m.Ranges.Lost)
	m.Started = m.Started.UTC().Truncate(time.Millisecond)
	m.Finished = m.Finished.UTC().Truncate(time.Millisecond)
	m.Reading = m.Reading.written()
	text, err := indented(m, "")
	if err != nil {
		return err
	}
	before, after, _ := strings.Cut(text, noFiles)
	if _, err := io.WriteString(w, before+strings.TrimSuffix(noFiles, "]")); err != nil {
		return err
	}
	between, end := "\n    ", "]"
	for f := range files {
		one, err := indented(f, "    ")
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, between+strings.TrimSuffix(one, "\n")); err != nil {
			return err
		}
		between, end = ",\n    ", "\n  ]"
	}
	_, err = io.WriteString(w, end+after)
	return err
}

// indented is the JSON of a value whose further lines begin with a prefix.
func indented(v any, prefix string) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // types are full of < and >
	e.SetIndent(prefix, "  ")
	err := e.Encode(v)
	return b.String(), err
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
	return strings.Contains(name, "password") || strings.Contains(name, "passwd") ||
		strings.Contains(name, "secret")
}
