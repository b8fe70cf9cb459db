// Package version has what the program was built from.
package version

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// Tool is the program's name in what it leaves on the disk and in the commands that it advises.
const Tool = "cqlbulk"

// Set by the linker, see the Makefile. The date is that of the commit, so that a commit
// gives the same bytes whenever it is built.
var version, commit, date string

// Info is what the program was built of. What is not known is empty.
type Info struct {
	Version string `json:"-"`                // stands by itself wherever the rest does
	Commit  string `json:"commit,omitempty"` // with "-dirty" behind it when files were changed
	Date    string `json:"date,omitempty"`   // of the commit, RFC 3339
	Go      string `json:"go,omitempty"`     // such as go1.26.0
	Driver  string `json:"driver,omitempty"` // module and version
}

// driverModule is the driver as it is imported; another module may take its place.
const driverModule = "github.com/gocql/gocql"

// Read reads what the linker and the compiler have left in the program.
func Read() Info {
	b := Info{Version: version, Commit: commit, Date: date, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if ok {
		b.fill(info)
	}
	if b.Version == "" {
		b.Version = "unknown"
	}
	return b
}

// fill sets what the linker did not set.
func (b *Info) fill(info *debug.BuildInfo) {
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	settings := make(map[string]string)
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if b.Commit == "" {
		b.Commit, b.Date = settings["vcs.revision"], settings["vcs.time"]
		if b.Commit != "" && settings["vcs.modified"] == "true" {
			b.Commit += "-dirty"
		}
	}
	for _, m := range info.Deps {
		if m.Path == driverModule {
			if m.Replace != nil {
				m = m.Replace
			}
			b.Driver = strings.TrimSpace(m.Path + " " + m.Version)
		}
	}
}
