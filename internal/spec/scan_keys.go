package spec

import (
	"errors"
	"fmt"
)

// checkKeys refuses settings that mean nothing for a scan by keys.
func (s *Scan) checkKeys() error {
	switch {
	case s.Keys == "" && s.Missing != "":
		return errors.New("--missing requires --keys, whose keys without a row it lists")
	case s.Keys == "":
		return nil
	case s.Via != ViaCQL:
		return fmt.Errorf("--keys: --via %s reads whole tables alone", s.Via)
	case s.Where != "" || s.AllowFiltering:
		return errors.New("--keys: the rows are those of the keys: leave out the condition")
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
