package verify

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/store"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// account is a manifest, and what was found about it.
type account struct {
	path     string
	m        manifest.Manifest
	shard    plan.Shard
	sum      rowsum.Sum
	summed   bool // sum is there
	files    []*file
	findings []string
	notes    []string
}

// find adds a finding.
func (a *account) find(format string, args ...any) {
	a.findings = append(a.findings, plain(a.path+": "+fmt.Sprintf(format, args...)))
}

// check looks at what the manifest says by itself.
func (a *account) check() {
	a.checkRows()
	a.checkRanges()
	a.checkSum()
	shard, err := plan.ParseShard(a.m.Shard)
	if err != nil {
		a.find("shard %v", err)
	}
	if shard.Of > 1 {
		a.shard = shard
	}
	var parts []string
	for _, name := range narrowing {
		if v := a.option(
			name,
		); v != "" &&
			(name != "limit" || a.m.Limited || a.m.Ranges.Done < a.m.Ranges.Splits) {
			parts = append(parts, "--"+name+" "+v)
		}
	}
	if len(parts) > 0 {
		a.notes = append(
			a.notes,
			plain(a.path+": a part of the table was read, with "+strings.Join(parts, ", ")),
		)
	}
	a.noteSSTables()
}

// noteSSTables says what a scan of folders may lack.
func (a *account) noteSSTables() {
	if a.m.Reading == nil || a.m.Reading.SSTables == nil {
		return
	}
	read := a.m.Reading.SSTables
	if read.Before != "" {
		a.notes = append(
			a.notes,
			plain(a.path+": the scan was resumed with other SSTables than it began with"),
		)
	}
	if len(read.Unflushed) > 0 {
		a.notes = append(
			a.notes,
			plain(
				a.path+": rows may be missing that no SSTable had, but the commit log: "+strings.Join(
					read.Unflushed,
					", ",
				),
			),
		)
	}
}

// checkRows compares the rows of the files with those of the manifest.
func (a *account) checkRows() {
	if len(a.m.Files) == 0 {
		a.find("it names no file")
	}
	if a.m.Rows < 0 {
		a.find("it states %s", human.Of(a.m.Rows, "row"))
	}
	var rows int64
	for _, f := range a.m.Files {
		if f.Rows < 0 || f.Rows > math.MaxInt64-rows {
			a.find("file %s cannot have %s", f.Name, human.Of(f.Rows, "row"))
			return
		}
		rows += f.Rows
	}
	if rows != a.m.Rows {
		a.find(
			"its files have %s together, not the %s that it states",
			human.Of(rows, "row"),
			human.Count(a.m.Rows),
		)
	}
}

// checkRanges lists what was not read. Ranges may be cut while they are read, so
// that more may be done than were planned, but never fewer.
func (a *account) checkRanges() {
	r := a.m.Ranges
	for _, lost := range r.Lost {
		if lost.Start == "" && lost.End == "" {
			a.find("the table's only token range was not read to its end: %s", lost.Error)
			continue
		}
		a.find("token range (%s, %s] was not read: %s", lost.Start, lost.End, lost.Error)
	}
	if r.Failed != len(r.Lost) {
		a.find(
			"%s not read, but it lists %s",
			human.Of(r.Failed, "token range")+human.Verb(r.Failed, " was", " were"),
			human.Count(len(r.Lost)),
		)
	}
	if r.Failed == 0 && r.Done < r.Splits && a.option("limit") == "" {
		a.find(
			"only %s of %s %s read",
			human.Count(r.Done),
			human.Of(r.Splits, "token range"),
			human.Verb(r.Done, "was", "were"),
		)
	}
}

// checkSum takes the checksum.
func (a *account) checkSum() {
	c := a.m.Checksum
	switch {
	case c == nil:
		return
	case c.Definition != rowsum.Version:
		a.find(
			"checksum definition %s is not known: this program knows %s",
			c.Definition,
			rowsum.Version,
		)
		return
	}
	sum, err := rowsum.Parse(c.Value)
	if err != nil {
		a.find("%v", err)
		return
	}
	a.sum, a.summed = sum, true
}

// narrowing are the options that leave out rows.
var narrowing = []string{
	"query", "where", "keys", "written-since", "written-until", "limit", "begintoken", "endtoken",
}

// option is the text of an option, empty when it was not used.
func (a *account) option(name string) string {
	v, there := a.m.Options[name]
	if !there || v == nil {
		return ""
	}
	text := fmt.Sprint(v)
	if name == "limit" && text == "0" {
		return ""
	}
	return text
}

// strays reports files in an output folder that look like parts of the output, finished or not, and
// are none. A program that reads all of the folder would read them too.
func (a *account) strays(ctx context.Context, in files) {
	if filepath.Base(a.path) != manifest.FolderName {
		return
	}
	own := make(map[string]bool)
	bases := make(map[string]bool)
	for _, f := range a.m.Files {
		own[filepath.Clean(f.Name)] = true
		if base, ok := manifest.PartBase(f.Name); ok {
			bases[base] = true
		}
	}
	folder := store.Dir(a.path)
	entries, err := in.list(ctx, folder)
	if err != nil {
		a.find("folder cannot be listed: %v", bare(err))
		return
	}
	for _, e := range entries {
		base, ok := manifest.PartBase(e.Base())
		if ok && bases[base] && !own[e.Base()] && e.Kind != store.Folder {
			a.findings = append(
				a.findings,
				plain(
					store.Join(folder, e.Base())+": looks like a part of the output, but is not in the manifest",
				),
			)
		}
	}
}

// plain makes one line of a text that may come from a file: what does not print is
// shown with escapes.
func plain(s string) string {
	if utf8.ValidString(s) &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
