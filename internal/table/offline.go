package table

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	cqlschema "github.com/cqlbulk/cqlbulk/pkg/cqlparse/schema"
	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Anywhere is the one node of a cluster that is not known: what is for it is for all nodes.
const Anywhere = "anywhere"

// OpenOffline describes a table by a file of its schema, and its cluster by another, where there is
// one.
func OpenOffline(env spec.Environment, o *spec.Load, options plan.Options) (*Table, error) {
	t := &Table{Consistency: o.Consistency}
	declared, err := t.ReadSchemaFile(env, o.Schema, o.TableName)
	if err != nil {
		return nil, fmt.Errorf("--schema %s: %w", o.Schema, err)
	}
	for _, d := range declared.Dropped {
		t.Dropped = append(t.Dropped, reconcile.Dropped{Name: d.Name, Time: d.Timestamp})
	}
	if o.Ring == "" {
		t.Cluster = OneNode(component.Murmur3Partitioner)
		t.Replication = map[string]string{"class": "SimpleStrategy", "replication_factor": "1"}
	} else if err := t.ReadRing(env, o.Ring, o.Keyspace); err != nil {
		return nil, fmt.Errorf("--ring %s: %w", o.Ring, err)
	}
	t.Plan, err = plan.Make(t.Cluster, t.Replication, options)
	return t, err
}

// ReadSchemaFile is parseSchema of a file.
func (t *Table) ReadSchemaFile(
	env spec.Environment,
	path string,
	name spec.TableName,
) (*cqlschema.Table, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return t.ParseSchema(env, path, string(text), name)
}

// ParseSchema finds the table among statements, and the replication of its keyspace if they have
// it.
func (t *Table) ParseSchema(
	env spec.Environment,
	path, text string,
	name spec.TableName,
) (*cqlschema.Table, error) {
	s, err := cqlschema.Parse(text, name.Keyspace)
	if err != nil {
		return nil, err
	}
	table := s.Table(name.Keyspace, name.Table)
	if table == nil {
		table = s.View(name.Keyspace, name.Table)
	}
	if table == nil {
		return nil, missingTable(s, name)
	}
	// The file may come from others, and these names become folders.
	if err := errors.Join(
		schema.CheckKeyspaceName(
			table.Keyspace,
		),
		schema.CheckTableName(table.Name),
		schema.CheckTableID(table.ID),
	); err != nil {
		return nil, err
	}
	warnSkipped(env, path, s.Skipped)
	t.Schema, t.Replication = tableOf(table), s.Replication(name.Keyspace)
	if t.KnownOptions, err = optionsOf(s, table); err != nil {
		return nil, fmt.Errorf("table %s: %w", t.Schema, err)
	}
	return table, nil
}

// missingTable says that no statement makes a table.
func missingTable(s *cqlschema.Schema, name spec.TableName) error {
	if v := s.MakesView(name.Keyspace, name.Table); v != nil {
		return fmt.Errorf(
			"%s.%s is a materialized view, and no statement makes its base table %q, which has the types of its columns",
			name.Keyspace,
			name.Table,
			v.Table,
		)
	}
	var names []string
	for _, t := range s.Tables {
		if t.Keyspace == name.Keyspace {
			names = append(names, t.Name)
		}
	}
	return fmt.Errorf(
		"no statement makes table %q in keyspace %q%s",
		name.Table,
		name.Keyspace,
		schema.DidYouMeanTable(name.Keyspace, name.Table, names),
	)
}

// SkippedShown is how many statements that were passed over are named.
const SkippedShown = 5

// warnSkipped warns of statements that were passed over.
func warnSkipped(env spec.Environment, path string, skipped []cqlschema.Skipped) {
	if len(skipped) == 0 {
		return
	}
	var named []string
	for _, s := range skipped[:min(len(skipped), SkippedShown)] {
		named = append(named, fmt.Sprintf("%s (line %d)", s.Statement, s.Line))
	}
	if more := len(skipped) - SkippedShown; more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	env.Warn(
		"%s: statements that make no table were passed over: %s",
		path,
		strings.Join(named, ", "),
	)
}

// tableOf is a table as the servers would describe it.
func tableOf(t *cqlschema.Table) *schema.Table {
	out := schema.New(t.Keyspace, t.Name, schema.FromDeclared(t.Columns))
	out.ID = t.ID
	return out
}

// optionsOf is the options of a table, those by default that no statement has. Source:
// org.apache.cassandra.schema.TableParams and CompressionParams.
func optionsOf(s *cqlschema.Schema, t *cqlschema.Table) (driver.TableOptions, error) {
	o := driver.TableOptions{
		Compact:          t.Compact,
		IsView:           t.ViewOf != "",
		StrictLiveness:   t.StrictLiveness,
		BloomFPChance:    0.01,
		MinIndexInterval: 128,
		Compression:      map[string]string{"class": component.LZ4Compressor},
	}
	if strings.HasSuffix(t.Options["compaction"].Map["class"], "LeveledCompactionStrategy") {
		o.BloomFPChance = 0.1
	}
	var err error
	number := func(name string, read func(text string) error) {
		if v, ok := t.Options[name]; ok && err == nil {
			if read(v.Text) != nil {
				err = fmt.Errorf("%s = %.40q: no number", name, v.Text)
			}
		}
	}
	number(
		"default_time_to_live",
		func(text string) (err error) { o.DefaultTTL, err = strconv.Atoi(text); return err },
	)
	number(
		"min_index_interval",
		func(text string) (err error) { o.MinIndexInterval, err = strconv.Atoi(text); return err },
	)
	number(
		"bloom_filter_fp_chance",
		func(text string) (err error) {
			o.BloomFPChance, err = strconv.ParseFloat(text, 64)
			return err
		},
	)
	if v, ok := t.Options["compression"]; ok {
		if o.Compression = v.Map; v.Map["enabled"] == "false" {
			o.Compression = nil
		}
	}
	cdc := t.Options["cdc"]
	o.CDC = cdc.Text == "true" || cdc.Map["enabled"] == "true"
	of := func(d cqlschema.Dependent) bool { return d.Keyspace == t.Keyspace && d.Table == t.Name }
	for _, d := range s.Views {
		if of(d) {
			o.Views = append(o.Views, d.Name)
		}
	}
	for _, d := range s.Indexes {
		if of(d) {
			o.Indexes = append(o.Indexes, driver.Index{Name: d.Name, Class: d.Class})
		}
	}
	for _, d := range s.Triggers {
		if of(d) {
			o.Triggers = append(o.Triggers, d.Name)
		}
	}
	return o, err
}

// ReadRing reads the cluster. If the ring does not have the keyspace's replication, that of the
// schema counts, which was read before.
func (t *Table) ReadRing(env spec.Environment, path, keyspace string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	saved, err := topology.ParseSaved(text)
	if err != nil {
		return err
	}
	declared := t.Replication
	t.Cluster, t.scylla, t.Ringed = &saved.Cluster, saved.ScyllaDB, true
	t.Replication = saved.Keyspaces[keyspace]
	switch {
	case t.Replication == nil && declared == nil:
		var names []string
		for name := range saved.Keyspaces {
			names = append(names, name)
		}
		slices.Sort(names)
		return fmt.Errorf(
			"it has no replication of keyspace %q, nor has the schema a CREATE KEYSPACE%s",
			keyspace,
			schema.DidYouMean(keyspace, names),
		)
	case t.Replication == nil:
		t.Replication = declared
	}
	env.Warn(
		"the nodes are taken to be those of %s, as they were at %s",
		path,
		saved.At.Format("2006-01-02T15:04:05Z07:00"),
	)
	return nil
}

// OneNode returns a cluster for rows whose partitioner only is known: one node that has all rows.
func OneNode(partitioner string) *topology.Cluster {
	return &topology.Cluster{
		Partitioner: partitioner,
		LocalDC:     Anywhere,
		Nodes: []topology.Node{
			{
				ID:      Anywhere,
				Address: Anywhere,
				DC:      Anywhere,
				Rack:    Anywhere,
				Tokens:  []token.Token{{}},
			},
		},
	}
}
