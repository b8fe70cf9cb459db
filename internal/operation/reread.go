package operation

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/ingest/dialect"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// rereadable are the settings of a load that may be changed when it goes on, or when its rejects
// are tried again: those that say how the text of a record is understood. Where records begin and
// end does not depend on them, so that pieces and rejects are the same.
var rereadable = []string{
	"columns",
	"map",
	"skipcols",
	"null-string",
	"dialect",
	"encoding",
	"unescape",
	"datetimeformat",
	"boolstyle",
	"decimalsep",
	"thousandssep",
	"dateformat",
	"timestamp-unit",
}

// Why settings of a run stay as they were when it goes on.
const (
	cutBefore  = "records were cut by it, also those that were rejected; to cut them otherwise, load the file anew"
	writtenSo  = "what a row means once it is written is the same for all rows of a run"
	chosenRows = "which rows are loaded was settled when the run began"
	oneTable   = "a run is of one table"
)

var keptSettings = map[string]string{
	"delimiter":          cutBefore,
	"quote":              cutBefore,
	"escape":             cutBefore,
	"header":             cutBefore,
	"comment":            cutBefore,
	"trailing-delimiter": cutBefore,
	"line-end":           cutBefore,
	"format":             cutBefore,
	"column-order":       "the run has the names of the columns by now; --columns names others",
	"nulls":              writtenSo,
	"ttl":                writtenSo,
	"timestamp":          writtenSo,
	"if-not-exists":      writtenSo,
	"append-collections": writtenSo,
	"skiprows":           chosenRows,
	"maxrows":            chosenRows,
	"files":              chosenRows,
	"keyspace":           oneTable,
	"table":              oneTable,
}

// WhyKept says why a setting stays as it was when a run goes on.
func WhyKept(name string) string {
	if reason, ok := keptSettings[name]; ok {
		return reason
	}
	return "a run goes on with what it was begun with"
}

// SettingChange is a setting that is not what it was when a run began.
type SettingChange struct {
	Name     string
	Was, Now []string // as texts
}

// rereading is how the text of a load was read, and is from now on.
type rereading struct {
	// of earlier runs that this one goes on with, where it was another way; the oldest first
	former []spec.Load
	now    []SettingChange // what this run changes
	all    []SettingChange // what differs from what the load was begun with
	note   records.Changed // what a journal keeps of this change; empty: nothing is changed

	keepLoaded bool // rows may stay as they were read that are loaded
}

// reread is the spec of a load that goes on, or whose rejects are tried again, with what the runs
// in between changed, and with changes. Of how text is read only what was typed counts: another
// file or environment than that of the first run must not change it unasked.
func (r recorded) reread(
	before []records.Changed,
	changes setting.Changes,
) (spec.Load, rereading, error) {
	var again rereading
	was := recorded{maps.Clone(r.Flags), r.Args, r.Named}
	begun, err := was.load(setting.Changes{})
	if err != nil {
		return begun, again, err
	}
	for _, change := range before {
		former, err := was.load(setting.Changes{})
		if err != nil {
			return former, again, err
		}
		again.former = append(again.former, former)
		maps.Copy(was.Flags, change)
	}
	wanted := setting.Values{}
	rest := setting.Changes{Values: maps.Clone(changes.Values), Typed: changes.Typed}
	for _, name := range rereadable {
		if texts, ok := rest.Values[name]; ok && changes.Typed[name] {
			wanted[name] = texts
		}
		delete(rest.Values, name)
	}
	present, err := was.load(setting.Changes{})
	if err != nil {
		return present, again, err
	}
	if again.note, err = differing(&present, wanted); err != nil {
		return present, again, err
	}
	if len(again.note) > 0 {
		again.former = append(again.former, present)
		maps.Copy(was.Flags, again.note)
	}
	settings, err := was.load(rest)
	again.now, again.all = changesOf(&present, &settings), changesOf(&begun, &settings)
	return settings, again, err
}

// differing gives those of the settings that are not as they are, and what must be set with them
// so that records are cut as before.
func differing(o *spec.Load, wanted setting.Values) (records.Changed, error) {
	changed := records.Changed{}
	then := spec.NewLoad()
	for name, texts := range wanted {
		if err := then.Settings().Set(name, texts...); err != nil {
			return nil, err
		}
		now, _ := then.Settings().Find(name)
		if was, _ := o.Settings().Find(name); !slices.Equal(was.Texts(), now.Texts()) {
			changed[name] = now.Texts()
		}
	}
	if _, other := changed["dialect"]; other && o.Dialect.Escape == "" {
		// Each dialect has an escape of its own. The quote as such is none.
		changed["escape"] = []string{o.Quote}
		if o.Dialect.Name == spec.DialectCQLSH {
			changed["escape"] = []string{spec.CQLSHEscape}
		}
	}
	return changed, nil
}

// changesOf lists how text is read otherwise by another spec.
func changesOf(was, now *spec.Load) []SettingChange {
	var changes []SettingChange
	for _, name := range rereadable {
		a, _ := was.Settings().Find(name)
		b, _ := now.Settings().Find(name)
		if before, after := a.Texts(), b.Texts(); !slices.Equal(before, after) {
			changes = append(changes, SettingChange{name, before, after})
		}
	}
	return changes
}

// readings are those of a load that goes on: as earlier runs read. Records are cut by the format.
func (a *rereading) readings(format dsv.Format) ([]ingest.Reading, error) {
	var former []ingest.Reading
	for i := range a.former {
		same := format
		r, err := dialect.Reading(&a.former[i], &same)
		if err == nil && same != format {
			err = errors.New("records would be cut otherwise")
		}
		if err != nil {
			return nil, fmt.Errorf("how text was read before: %w", err)
		}
		former = append(former, r)
	}
	return former, nil
}

// refuseReread refuses another reading of text where nothing is read of text.
func refuseReread(typed setting.Given) error {
	for _, name := range rereadable {
		if typed[name] {
			return &spec.UsageError{
				Err: fmt.Errorf(
					"--%s: the run is a scan: its output goes on in the form that it was begun in",
					name,
				),
			}
		}
	}
	return nil
}

// Rereading is what a change in how text is read means for the rows of a run.
type Rereading struct {
	Settings []SettingChange
	Loaded   int64 // rows that are in, and stay as they were read
	Rejected int64 // rows that were rejected before
	Retried  bool  // those are what is read now; else the rest of the inputs is
}

// Rereading says what this run changes in how text is read; nil: nothing.
func (l *Load) Rereading() *Rereading {
	if len(l.reread.now) == 0 {
		return nil
	}
	of, retried := l.journal, false
	if l.outer != nil && !l.run.continued {
		of, retried = l.outer, true
	}
	r := &Rereading{Settings: l.reread.now, Retried: retried}
	if of != nil {
		t := of.Loaded().Known()
		r.Loaded, r.Rejected = t.Written+t.Existing, t.Rejected()
	}
	if retried {
		r.Rejected = l.rejected
	}
	return r
}
