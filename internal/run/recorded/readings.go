package recorded

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// TextSettings are the settings of a load that say how the text of a record is understood. A resume
// or a retry may change them. Where records begin and end does not depend on them, so pieces and
// rejects stay the same.
var TextSettings = []string{
	"columns",
	"map",
	"skipcols",
	"extra-fields",
	"missing-fields",
	"null-string",
	"dialect",
	"encoding",
	"unescape",
	"datetimeformat",
	"boolstyle",
	"decimalsep",
	"thousandssep",
	"dateformat",
	"timeformat",
	"column",
	"binary",
	"collections",
	"integers",
	"currency",
	"timezone",
	"timestamp-unit",
}

// ChangeText reports whether settings change how the text of records is read. Others only lift
// a limit.
func ChangeText(settings map[string][]string) bool {
	return slices.ContainsFunc(
		TextSettings,
		func(name string) bool { return len(settings[name]) > 0 },
	)
}

// RefuseReading refuses settings of how text is read, for a run that reads no text.
func RefuseReading(typed setting.Given) error {
	for _, name := range TextSettings {
		if typed[name] {
			return &spec.UsageError{
				Err: fmt.Errorf(
					"--%s: the run is a scan, and its output keeps the form that it was begun in",
					name,
				),
			}
		}
	}
	return nil
}

// Change is a setting that is not what it was when a run began.
type Change struct {
	Name     string
	Was, Now []string // as texts
}

// Readings is how the text of a load was read, and is from now on.
type Readings struct {
	// of the earlier runs that this one resumes, where they read otherwise; the oldest first
	Former []spec.Load
	Now    []Change        // what this run changes
	All    []Change        // what differs from what the load was begun with
	Note   records.Changed // what a journal keeps of this change; empty: nothing is changed

	KeepLoaded bool // rows may stay as they were read that are loaded
}

// Reread returns the spec of a load that is resumed, or whose rejects are retried. It has what the
// runs in between changed (before, the oldest first), and changes. A TextSetting changes only if it
// was typed. Another configuration file or environment does not change how text is read.
func (r Spec) Reread(
	before []records.Changed,
	changes setting.Changes,
) (spec.Load, Readings, error) {
	var readings Readings
	was := Spec{maps.Clone(r.Flags), r.Args, r.Named}
	begun, err := was.Load(setting.Changes{})
	if err != nil {
		return begun, readings, err
	}
	for _, change := range before {
		former, err := was.Load(setting.Changes{})
		if err != nil {
			return former, readings, err
		}
		readings.Former = append(readings.Former, former)
		maps.Copy(was.Flags, change)
	}
	wanted := setting.Values{}
	rest := setting.Changes{Values: maps.Clone(changes.Values), Typed: changes.Typed}
	for _, name := range TextSettings {
		if texts, ok := rest.Values[name]; ok && changes.Typed[name] {
			wanted[name] = texts
		}
		delete(rest.Values, name)
	}
	present, err := was.Load(setting.Changes{})
	if err != nil {
		return present, readings, err
	}
	if readings.Note, err = differing(&present, wanted); err != nil {
		return present, readings, err
	}
	if len(readings.Note) > 0 {
		readings.Former = append(readings.Former, present)
		maps.Copy(was.Flags, readings.Note)
	}
	settings, err := was.Load(rest)
	readings.Now, readings.All = Changes(&present, &settings), Changes(&begun, &settings)
	return settings, readings, err
}

// differing returns the wanted settings that differ from the spec's. It adds what must be set with
// them so that records are cut as before.
func differing(o *spec.Load, wanted setting.Values) (records.Changed, error) {
	changed := records.Changed{}
	then := spec.NewLoad()
	if name := strings.Join(wanted["dialect"], ""); spec.IsPreset(name) {
		return nil, fmt.Errorf(
			"--dialect %s stands for other settings, which the run has recorded: give those instead",
			name,
		)
	}
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

// Changes lists the TextSettings that differ between two specs.
func Changes(was, now *spec.Load) []Change {
	var changes []Change
	for _, name := range TextSettings {
		a, _ := was.Settings().Find(name)
		b, _ := now.Settings().Find(name)
		if before, after := a.Texts(), b.Texts(); !slices.Equal(before, after) {
			changes = append(changes, Change{name, before, after})
		}
	}
	return changes
}
