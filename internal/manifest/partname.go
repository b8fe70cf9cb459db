package manifest

import (
	"fmt"
	"regexp"
)

// PartName returns the name of a file in an output folder. It consists of the output's base, the
// number of the worker, the file's number among that worker's, and an ending. Either number has
// four digits, or more if it needs them.
func PartName(base string, worker, number int, ending string) string {
	return fmt.Sprintf("%s-%04d-%04d%s", base, worker, number, ending)
}

// PartNumbers is a regular expression for what PartName puts between base and ending.
const PartNumbers = `-\d{4,}-\d{4,}`

var partName = regexp.MustCompile(`^(.+)` + PartNumbers + `(\..*)?$`)

// PartBase is the base of a name that PartName may have made; not ok for any other.
func PartBase(name string) (base string, ok bool) {
	found := partName.FindStringSubmatch(name)
	if found == nil {
		return "", false
	}
	return found[1], true
}
