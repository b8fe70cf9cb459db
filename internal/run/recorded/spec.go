// Package recorded is what a run directory keeps of the command that began its run: the settings,
// the table and the inputs. It makes specs of them for resumes and retries, with changed settings.
package recorded

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/store/stores"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// Spec is the spec of a run as a command line: flags and arguments.
type Spec struct {
	Flags setting.Values `json:"flags"`           // those that are not as they are by default, and the consistency level
	Args  []string       `json:"args"`            // the table and the inputs, but for those in a file of their own
	Named []string       `json:"named,omitempty"` // of a load of many inputs: the folders, patterns and files that they were found by
}

// Read reads the spec of a run from its manifest. Runs of early versions did not record the
// consistency level; they get the one that those versions had.
func Read(m journal.Manifest) (Spec, error) {
	var r Spec
	if err := json.Unmarshal(m.Options, &r); err != nil {
		return r, fmt.Errorf("run.json: %w", err)
	}
	if _, ok := r.Flags[spec.ConsistencyFlag]; !ok {
		if r.Flags == nil {
			r.Flags = make(setting.Values)
		}
		r.Flags[spec.ConsistencyFlag] = []string{spec.UnrecordedConsistency}
	}
	return r, nil
}

// NewManifest makes the manifest of a run that begins now. extra is what the command adds, as JSON.
func NewManifest(
	env spec.Environment,
	command string,
	t *schema.Table,
	options Spec,
	extra any,
) (journal.Manifest, error) {
	m := journal.Manifest{
		Tool:              version.Tool + " " + env.Build.Version,
		Build:             env.Build,
		Command:           command,
		Table:             t.String(),
		TableID:           t.ID,
		Started:           time.Now(),
		SchemaFingerprint: t.Fingerprint(),
	}
	var err error
	if m.Options, err = json.Marshal(options); err != nil {
		return m, err
	}
	m.Extra, err = json.Marshal(extra)
	return m, err
}

// OfScan returns the spec of a scan of a table. Its paths are absolute, so that a resume may begin
// in another folder. An error is that of the working directory.
func OfScan(o *spec.Scan, table string) (Spec, error) {
	r := Spec{
		Flags: o.Settings().Record(spec.NewScan().Settings(), o.Given),
		Args:  []string{table},
	}
	for _, input := range o.Inputs {
		path, err := stores.Abs(input)
		if err != nil {
			return r, err
		}
		r.Args = append(r.Args, path)
	}
	for name, value := range map[string]string{"output": o.Path, "dir": o.Dir} {
		if value == "" {
			continue
		}
		path, err := stores.Abs(o.Place())
		if err != nil {
			return r, err
		}
		r.Flags[name] = []string{path}
	}
	r.Flags["format"] = []string{o.Format}
	r.Flags["compression"] = []string{cmp.Or(o.Compression, "none")}
	return r, nil
}

// AddInputs adds the inputs of a load whose run directory, dir, lists them in a file of their own.
func (r *Spec) AddInputs(dir string, m journal.Manifest) error {
	extra, err := records.ExtraOf(m)
	if err != nil || extra.Listed == nil {
		return err
	}
	inputs, err := records.InputsOf(dir, extra)
	if err != nil {
		return err
	}
	r.Args = append(r.Args, inputs.Paths()...)
	return nil
}

// apply sets settings as they were, but for those that a change replaces.
func (r Spec) apply(to setting.List, given setting.Given, changes setting.Changes) error {
	if err := to.Apply(r.Flags, given); err != nil {
		return fmt.Errorf("run.json: %w", err)
	}
	return to.Change(r.Flags, given, changes)
}

// table is the table that the run is of.
func (r Spec) table() (spec.TableName, error) {
	if len(r.Args) == 0 {
		return spec.TableName{}, errors.New("run.json: no table is named")
	}
	parts, err := schema.SplitName(r.Args[0])
	if err != nil || len(parts) != 2 {
		return spec.TableName{}, fmt.Errorf("run.json: %q is no name of a table", r.Args[0])
	}
	return spec.TableName{Keyspace: parts[0], Table: parts[1]}, nil
}

// Load returns the spec of a load, with changes.
func (r Spec) Load(changes setting.Changes) (spec.Load, error) {
	settings := spec.NewLoad()
	var err error
	if settings.TableName, err = r.table(); err != nil {
		return *settings, err
	}
	settings.Inputs, settings.Named = r.Args[1:], r.Named
	return *settings, r.apply(settings.Settings(), settings.Given, changes)
}

// Scan returns the spec of a scan, with changes.
func (r Spec) Scan(changes setting.Changes) (spec.Scan, error) {
	settings := spec.NewScan()
	var err error
	if settings.TableName, err = r.table(); err != nil {
		return *settings, err
	}
	settings.Inputs = r.Args[1:]
	return *settings, r.apply(settings.Settings(), settings.Given, changes)
}
