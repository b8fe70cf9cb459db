// Package cqlshrc reads the configuration of cqlsh: options of COPY, and how cqlsh connects, as
// flags of cqlbulk.
//
// Start with [Find], which reads the file that cqlsh would read. A [File] belongs to one goroutine.
//
// No error and no note has a password. Lines of sections with passwords are not quoted.
//
// Sources: cqlsh 6.2.2, cqlshmain.py (read_options), copyutil.py (maybe_read_config_file),
// sslhandling.py and authproviderhandling.py.
package cqlshrc

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/cqlbulk/cqlbulk/internal/config"
	"github.com/cqlbulk/cqlbulk/pkg/configparser"
)

// None is the name that stands for no file.
const None = "none"

// maxFile is the largest file that is read, in bytes.
const maxFile = 1 << 20

// File is a cqlshrc, a file of COPY options or a file of credentials.
type File struct {
	path   string
	parsed *configparser.File
	folder string // that has the file of credentials
	ours   bool   // the environment of cqlsh belongs to it; false: nothing but the file is read
	read   []string
}

// Find reads the file of a path. If the path is empty, it reads ~/.cassandra/cqlshrc, or
// ~/.cqlshrc, which cqlsh would move there. The File is empty if there is neither, or if the path
// is [None].
func Find(path string) (*File, error) {
	switch path {
	case "":
	case None:
		return &File{parsed: new(configparser.File)}, nil
	default:
		f, err := Open(path)
		if err != nil {
			return nil, err
		}
		f.folder, f.ours = filepath.Dir(f.path), true
		return f, nil
	}
	f := &File{parsed: new(configparser.File), ours: true}
	home, err := os.UserHomeDir()
	if err != nil {
		return f, nil // without a home there is no file in it
	}
	folder := filepath.Join(home, ".cassandra")
	for _, place := range []string{filepath.Join(folder, "cqlshrc"), filepath.Join(home, ".cqlshrc")} {
		found, err := Open(place)
		if isAbsent(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		f = found
		break
	}
	f.folder, f.ours = folder, true
	return f, nil
}

// Open reads a file. A path that begins with ~/ is in the home of the user.
func Open(path string) (*File, error) { return open(path, false) }

// open reads a file. If it is secret, no error shows one of its lines.
func open(path string, secret bool) (*File, error) {
	path, err := expand(path)
	if err != nil {
		return nil, err
	}
	text, err := read(path)
	if err != nil {
		return nil, err
	}
	parsed, err := configparser.Parse(text)
	var broken *configparser.Error
	switch {
	case errors.As(err, &broken) && (secret || isSecret(broken)):
		return nil, fmt.Errorf("%s:%d: %s", path, broken.Line, broken.Reason)
	case errors.As(err, &broken):
		return nil, fmt.Errorf("%s:%d: %q: %s", path, broken.Line, broken.Text, broken.Reason)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &File{path: path, parsed: parsed}, nil
}

// isAbsent reports whether there is no file to read, as cqlsh sees it. It takes a file that it may
// not read for none.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, syscall.ENOTDIR)
}

// read reads the text of a file.
func read(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s: longer than 1MiB, so it is no cqlshrc", path)
	}
	return string(text), err
}

// isSecret reports whether the line of an error may have a password.
func isSecret(e *configparser.Error) bool {
	return IsSecret(e.Text) || strings.Contains(strings.ToLower(e.Section), "auth")
}

// IsSecret reports whether a name or a line may be that of a password.
func IsSecret(text string) bool { return strings.Contains(strings.ToLower(text), "pass") }

// expand replaces the ~ at the start of a path, as Python's os.path.expanduser does for the user's
// own home.
func expand(path string) (string, error) {
	if path != "~" && !strings.HasPrefix(path, "~/") {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return filepath.Join(home, path[1:]), nil
}

// Read returns the path of the file and the sections that were read so far, as one text. It is
// empty if there are none.
func (f *File) Read() string {
	if len(f.read) == 0 {
		return ""
	}
	return f.path + ": [" + strings.Join(f.read, "], [") + "]"
}

// uses records that a section is read.
func (f *File) uses(section string) {
	if !slices.Contains(f.read, section) {
		f.read = append(f.read, section)
	}
}

// origin is where an option stands.
func (f *File) origin(line int) config.Origin {
	return config.Origin{From: config.FromFile, Path: f.path, Line: line}
}

// placeOf is where an option of a section stands, for messages.
func placeOf(o config.Origin, section string) string {
	return fmt.Sprintf("%s:%d: [%s]", o.Path, o.Line, section)
}

// value is the value of an option or of a variable of cqlsh's environment.
type value struct {
	text    string
	name    string
	section string
	origin  config.Origin
}

// place is where the value stands, for messages.
func (v value) place() string {
	if v.origin.From == config.FromEnvironment {
		return "environment"
	}
	return placeOf(v.origin, v.section)
}

// errorf makes an error about the value. It shows the value, which must not be a secret.
func (v value) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %s = %q: %w", v.place(), v.name, v.text, fmt.Errorf(format, args...))
}

// raw returns an option as it stands in the file. An empty value counts as no option.
func (f *File) raw(section, name string) (value, bool) {
	o, ok := f.parsed.Get(section, name)
	if !ok || o.Value == "" {
		return value{}, false
	}
	f.uses(section)
	return value{o.Value, o.Name, section, f.origin(o.Line)}, true
}

// get returns an option with what its percent signs stand for.
func (f *File) get(section, name string) (value, bool, error) {
	v, ok := f.raw(section, name)
	if !ok {
		return value{}, false, nil
	}
	o, _ := f.parsed.Get(section, name)
	text, err := f.parsed.Interpolate(section, o)
	if err != nil {
		return value{}, false, fmt.Errorf("%s: %s: %w", v.place(), name, err)
	}
	v.text = text
	return v, text != "", nil
}
