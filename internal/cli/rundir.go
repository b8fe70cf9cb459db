package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/config"
	"github.com/cqlbulk/cqlbulk/internal/journal"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// recorded is a command line as a run directory keeps it.
type recorded struct {
	Flags map[string][]string `json:"flags"` // those that are not as they are by default, and the consistency level
	Args  []string            `json:"args"`
}

// The flags that are not recorded: secrets, and what is for one call alone.
var unrecorded = []string{
	"password", "quiet", "verbose", config.FileFlag, "help", "run-dir", "keyspace", "table", "files", "repeat-in-doubt",
}

// The flags that name files, which are to be found from any working directory.
var pathFlags = []string{"password-file", "cacert", "cert", "key"}

// pairsType is the type of a flag of pairs.
const pairsType = "stringToString"

// isSet says whether a flag was set, on the command line or by a configuration file or
// the environment, which a flag does not tell of itself.
func isSet(f *pflag.Flag) bool { return f.Changed || f.Value.String() != f.DefValue }

// record takes down the flags that are set, and the consistency level in any case: what a
// run promises does not change with a default.
func record(f *pflag.FlagSet, args []string) recorded {
	r := recorded{Flags: make(map[string][]string), Args: args}
	f.VisitAll(func(f *pflag.Flag) {
		if !isSet(f) && f.Name != consistencyFlag || slices.Contains(unrecorded, f.Name) {
			return
		}
		switch v := f.Value.(type) {
		case pflag.SliceValue:
			r.Flags[f.Name] = v.GetSlice()
		default:
			if path, err := filepath.Abs(v.String()); err == nil && v.String() != "" && slices.Contains(pathFlags, f.Name) {
				r.Flags[f.Name] = []string{path}
				return
			}
			text := v.String()
			if v.Type() == pairsType { // it is shown in brackets
				text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
			}
			r.Flags[f.Name] = []string{text}
		}
	})
	return r
}

// apply sets the flags as they were.
func (r recorded) apply(f *pflag.FlagSet) error {
	for name, values := range r.Flags {
		if err := setFlag(f, name, values); err != nil {
			return fmt.Errorf("run.json: %w", err)
		}
	}
	return nil
}

// anew says whether a flag of a run that goes on counts, and not what is recorded: it was
// typed, or the file or the environment has it and the earlier run had nothing.
func (r recorded) anew(f *pflag.Flag) bool {
	_, had := r.Flags[f.Name]
	return f.Changed || !had && isSet(f)
}

// setFlag sets a flag to one value, or a list to its elements.
func setFlag(f *pflag.FlagSet, name string, values []string) error {
	flag := f.Lookup(name)
	if flag == nil {
		return fmt.Errorf("there is no flag --%s", name)
	}
	if slice, ok := flag.Value.(pflag.SliceValue); ok {
		if err := slice.Replace(values); err != nil {
			return fmt.Errorf("--%s: %w", name, err)
		}
		flag.Changed = true
		return nil
	}
	if len(values) != 1 {
		return fmt.Errorf("--%s has %d values", name, len(values))
	}
	text := values[0]
	if flag.Value.Type() == pairsType && strings.Count(text, "=") == 1 {
		text += "," + text // a single pair would be read otherwise than as the CSV that it is
	}
	if err := f.Set(name, text); err != nil {
		return fmt.Errorf("--%s: %w", name, err)
	}
	return nil
}

// recordedIn reads the command line of a run.
func recordedIn(m journal.Manifest) (recorded, error) {
	var r recorded
	if err := json.Unmarshal(m.Options, &r); err != nil {
		return r, fmt.Errorf("run.json: %w", err)
	}
	if _, ok := r.Flags[consistencyFlag]; !ok {
		if r.Flags == nil {
			r.Flags = make(map[string][]string)
		}
		r.Flags[consistencyFlag] = []string{unrecordedConsistency}
	}
	return r, nil
}

// newManifest describes a run.
func newManifest(command string, t *schema.Table, options recorded, extra any) (journal.Manifest, error) {
	m := journal.Manifest{
		Tool: "cqlbulk " + Version(), Command: command, Table: t.String(), TableID: t.ID, Started: time.Now(), SchemaFingerprint: t.Fingerprint(),
	}
	var err error
	if m.Options, err = json.Marshal(options); err != nil {
		return m, err
	}
	m.Extra, err = json.Marshal(extra)
	return m, err
}

// checkTable says whether a table is another than that of a run.
func checkTable(m journal.Manifest, t *target) error {
	var begun clusterName
	if err := json.Unmarshal(m.Extra, &begun); err != nil {
		return fmt.Errorf("run.json: %w", err)
	}
	if begun.Cluster != t.cluster.Name {
		return fmt.Errorf("the run began on cluster %q, and this is %q: it cannot go on", begun.Cluster, t.cluster.Name)
	}
	if m.TableID != t.table.ID {
		return fmt.Errorf("table %s is not the one that the run began with, but was created since: it cannot go on", t.table)
	}
	return nil
}

// checkRun says why a run cannot go on with the table as it is now, if it cannot.
func checkRun(m journal.Manifest, t *target) error {
	if err := checkTable(m, t); err != nil {
		return err
	}
	if m.SchemaFingerprint != t.table.Fingerprint() {
		return fmt.Errorf("table %s has other columns than when the run began: it cannot go on", t.table)
	}
	return nil
}

// clusterName is the part of what every run keeps.
type clusterName struct {
	Cluster string `json:"cluster"`
}

// runName is what a run directory is called.
func runName(command string, t *schema.Table) string {
	// The process tells apart runs on one table that start in the same second.
	return fmt.Sprintf("cqlbulk-%s-%s.%s-%s-%d", command, t.Keyspace, t.Name, time.Now().UTC().Format("20060102T150405Z"), os.Getpid())
}
