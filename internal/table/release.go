package table

import (
	"slices"
	"strconv"
	"strings"
)

// Release is the version of a server, such as 5.0.6.
type Release [3]int

// ReleaseOf parses the version that a node reports. A part without digits counts as 0.
func ReleaseOf(version string) (r Release) {
	for i, part := range strings.SplitN(version, ".", len(r)) {
		digits := strings.IndexFunc(part, func(c rune) bool { return c < '0' || c > '9' })
		if digits < 0 {
			digits = len(part)
		}
		r[i], _ = strconv.Atoi(part[:digits])
	}
	return r
}

// Before reports whether r is older than o.
func (r Release) Before(o Release) bool { return slices.Compare(r[:], o[:]) < 0 }
