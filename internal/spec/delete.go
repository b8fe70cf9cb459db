package spec

import (
	"errors"
	"fmt"
	"slices"
)

// Deletes reports whether rows are deleted, by their primary keys or by the start of these.
func (o *Load) Deletes() bool { return o.Delete || len(o.DeleteBy) > 0 }

// checkDelete refuses a deletion that was not typed, and settings that mean nothing for it.
func (o *Load) checkDelete() error {
	if o.Given["delete-by"] && (len(o.DeleteBy) == 0 || slices.Contains(o.DeleteBy, "")) {
		return errors.New("--delete-by: it has no name, or an empty one: name the columns to delete by")
	}
	if !o.Deletes() {
		return nil
	}
	flag := "delete"
	if len(o.DeleteBy) > 0 {
		flag = "delete-by"
	}
	if !o.Given[flag] {
		return fmt.Errorf(
			"--%s is set by the environment or a configuration file: it must be typed, because each "+
				"load would delete rows: take it out there", flag,
		)
	}
	for _, other := range []struct {
		name  string
		given bool
	}{
		{"delete", flag == "delete-by" && o.Delete},
		{"query", o.Query != ""},
		{"if-not-exists", o.IfNotExists},
		{"ttl", o.TTL > 0},
		{"append-collections", o.AppendCollections},
		{"nulls", o.Given["nulls"]},
	} {
		if other.given {
			return fmt.Errorf("--%s cannot be used with --%s: leave it out", other.name, flag)
		}
	}
	return nil
}
