package spec

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/selectstmt"
)

// checkKeys refuses settings that mean nothing for a scan by keys, or something else.
func (s *Scan) checkKeys(selected *selectstmt.Statement) error {
	switch {
	case s.Keys == "" && s.Given["keys"]:
		return errors.New("--keys names no file")
	case s.Keys == "" && s.Missing != "":
		return errors.New("--missing requires --keys, whose keys without a row it lists")
	case s.Keys == "":
		return nil
	case s.Via != ViaCQL:
		return fmt.Errorf("--keys: --via %s reads whole tables, and not by key", s.Via)
	case s.Where != "" || s.AllowFiltering:
		return errors.New("--keys: the rows are those of the keys: leave out the condition")
	case selected != nil && (selected.Distinct || selected.PerPartition > 0):
		return errors.New(
			"--keys: each key is a SELECT of its own: leave out DISTINCT and PER PARTITION LIMIT",
		)
	}
	for _, part := range []struct {
		name  string
		given bool
	}{
		{"limit", s.Limit != -1},
		{"shard", s.Shard != ""},
		{"begintoken", s.BeginToken != ""},
		{"endtoken", s.EndToken != ""},
	} {
		if part.given {
			return fmt.Errorf("--%s and --keys: list only the keys that are to be read", part.name)
		}
	}
	return s.checkMissing()
}

// checkMissing refuses a list of keys without a row in the place of another file of the scan.
func (s *Scan) checkMissing() error {
	if s.Missing == "" {
		return nil
	}
	missing, place := filepath.Clean(s.Missing), filepath.Clean(s.Place())
	switch {
	case s.Missing == "-":
		return errors.New("--missing -: the list needs a file: the standard output has the rows")
	case missing == filepath.Clean(s.Keys):
		return fmt.Errorf("--missing %s: it is the file of keys: name another one", s.Missing)
	case s.Place() != "" && (missing == place || strings.HasPrefix(missing, place+".") &&
		missing != place+".missing."+s.Format || s.Dir != "" &&
		strings.HasPrefix(missing, place+string(filepath.Separator))):
		return fmt.Errorf("--missing %s: the output has such files: name another one", s.Missing)
	}
	return nil
}

// MissingPath returns the file for the keys without a row; empty: there is none.
func (s *Scan) MissingPath() string {
	switch {
	case s.Keys == "":
		return ""
	case s.Missing != "" || s.Place() == "":
		return s.Missing
	}
	return s.Place() + ".missing." + s.Format
}

// KeyRejects returns the folder for the lines of the file of keys that are no keys; empty: none are
// kept.
func (s *Scan) KeyRejects() string {
	if s.Keys == "" || s.Place() == "" {
		return ""
	}
	return s.Place() + ".rejects"
}

// KeyText returns the settings of a load that reads the keys as its inputs. It has the settings
// that the scan was given for its own text.
func (s *Scan) KeyText() (*Load, error) {
	l := NewLoad()
	l.Inputs, l.Memory = []string{s.Keys}, s.Memory
	own := s.Settings()
	for _, one := range append(l.Text.settings(), l.Dialect.settings()...) {
		switch one.Name {
		case "columns", "column-order": // those of the output
			continue
		}
		if !s.Given[one.Name] {
			continue
		}
		given, ok := own.Find(one.Name)
		if !ok {
			continue
		}
		if err := l.Settings().Set(one.Name, given.Texts()...); err != nil {
			return nil, err
		}
		l.Given[one.Name] = true
	}
	if s.Given["null-string"] {
		l.Nulls = []string{s.Null}
	}
	return l, nil
}
