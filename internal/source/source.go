// Package source finds the files that a load reads.
package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Stdin is the name by which the standard input is asked for.
const Stdin = "-"

// Input is one stream of bytes to load.
type Input struct {
	Name string // as it is shown in messages
	Size int64  // in bytes, -1 when unknown
	open func() (io.ReadCloser, error)
}

// Open opens the input; it may be opened once.
func (i Input) Open() (io.ReadCloser, error) {
	r, err := i.open()
	if err != nil {
		return nil, fmt.Errorf("input %s: %w", i.Name, err)
	}
	return r, nil
}

// Find turns the user's words into inputs, in their order: files, patterns
// (expanded in the order of names) and "-" for stdin. All words that name
// nothing are told in one error.
func Find(words []string, stdin io.Reader) ([]Input, error) {
	var inputs []Input
	var failures []error
	for _, word := range words {
		if word == Stdin {
			inputs = append(inputs, Input{Name: "stdin", Size: -1, open: func() (io.ReadCloser, error) { return io.NopCloser(stdin), nil }})
			continue
		}
		found, err := files(word)
		failures = append(failures, err)
		inputs = append(inputs, found...)
	}
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	return inputs, nil
}

// files finds what one word names: a file of just that name before a pattern.
func files(word string) ([]Input, error) {
	input, err := file(word)
	if err == nil || !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(word, "*?[") {
		return []Input{input}, err
	}
	names, err := filepath.Glob(word)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", word, err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("pattern %q: no file matches", word)
	}
	var inputs []Input
	var failures []error
	for _, name := range names {
		input, err := file(name)
		failures = append(failures, err)
		inputs = append(inputs, input)
	}
	return inputs, errors.Join(failures...)
}

func file(name string) (Input, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Input{}, fmt.Errorf("input %s: %w", name, fs.ErrNotExist)
	}
	if err != nil {
		return Input{}, fmt.Errorf("input: %w", err)
	}
	if info.IsDir() {
		return Input{}, fmt.Errorf("input %s is a folder: name its files, for example %s", name, filepath.Join(name, "*.csv"))
	}
	size := info.Size()
	if !info.Mode().IsRegular() {
		size = -1
	}
	return Input{Name: name, Size: size, open: func() (io.ReadCloser, error) { return os.Open(name) }}, nil
}
