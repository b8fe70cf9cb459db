package spec

import (
	"errors"
	"fmt"
)

// checkDelete refuses a deletion that was not typed, and settings that mean nothing for it.
func (o *Load) checkDelete() error {
	if !o.Delete {
		return nil
	}
	if !o.Given["delete"] {
		return errors.New(
			"--delete is set by the environment or a configuration file: it must be typed, because each " +
				"load would delete rows: take it out there",
		)
	}
	for _, other := range []struct {
		name  string
		given bool
	}{
		{"query", o.Query != ""},
		{"if-not-exists", o.IfNotExists},
		{"ttl", o.TTL > 0},
		{"append-collections", o.AppendCollections},
		{"nulls", o.Given["nulls"]},
	} {
		if other.given {
			return fmt.Errorf("--%s cannot be used with --delete: leave it out", other.name)
		}
	}
	return nil
}
