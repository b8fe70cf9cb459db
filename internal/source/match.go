package source

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/store"
)

// matches returns the names in a store that match a pattern, in their order. The elements of the
// pattern between its slashes are those of [path.Match].
func matches(ctx context.Context, in store.Store, pattern string) ([]string, error) {
	scheme, rest, _ := strings.Cut(pattern, "://")
	elements := strings.Split(rest, "/")
	names := []string{scheme + "://" + elements[0]}
	for i, element := range elements[1:] {
		if !strings.ContainsAny(element, "*?[") {
			for n := range names {
				names[n] += "/" + element
			}
			continue
		}
		var found []string
		for _, folder := range names {
			entries, err := in.List(ctx, folder)
			if err != nil {
				return nil, err
			}
			for _, e := range entries {
				ok, err := path.Match(element, e.Base())
				if err != nil {
					return nil, err
				}
				last := i == len(elements)-2
				if ok && (last || e.Kind == store.Folder) {
					found = append(found, e.Name)
				}
			}
		}
		names = found
	}
	return there(ctx, in, elements[len(elements)-1], names)
}

// there returns the names that are, if the last element of the pattern was not looked up in a list.
func there(
	ctx context.Context,
	in store.Store,
	last string,
	names []string,
) (found []string, err error) {
	if strings.ContainsAny(last, "*?[") {
		return names, nil
	}
	for _, name := range names {
		_, err := in.Stat(ctx, name)
		switch {
		case err == nil:
			found = append(found, name)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return found, nil
}
