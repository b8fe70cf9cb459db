// Package owner reports whether files belong to a user whom the program need not trust.
package owner

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// Other returns the name of a user who owns one of the files and is neither the program's own
// user nor root. It is empty if there is none. Both a symbolic link and its target count. A
// file that is not there belongs to no user.
//
// Root trusts the user who called sudo, since that user chose what root does. Git has the same
// rule (safe.directory).
func Other(paths ...string) string {
	for _, path := range paths {
		for _, look := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
			info, err := look(path)
			if err != nil {
				continue
			}
			if id := ownerOf(info); !trusted(id, os.Geteuid(), os.Getenv("SUDO_UID")) {
				return nameOf(id)
			}
		}
	}
	return ""
}

// ownerOf returns the user id of a file's owner. Tests replace it.
var ownerOf = func(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return os.Geteuid()
}

func trusted(id, self int, sudo string) bool {
	if id == self || id == 0 {
		return true
	}
	caller, err := strconv.Atoi(sudo)
	return self == 0 && err == nil && id == caller
}

// nameOf returns a user's name, or the number of one without a name.
func nameOf(id int) string {
	text := strconv.Itoa(id)
	if u, err := user.LookupId(text); err == nil {
		return u.Username
	}
	return text
}
