package cli

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/cqlshcopy"
	"github.com/cqlbulk/cqlbulk/internal/cli/cqlshrc"
	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/config"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/copystmt"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// cqlshrcFlag is the flag that names the configuration of cqlsh.
const cqlshrcFlag = "cqlshrc"

// translateCopy makes the command that does what a statement says, with what the files of cqlsh say
// besides.
func translateCopy(
	s streams, o *copyOptions, own *pflag.FlagSet, statement *copystmt.Statement,
) (*cqlshcopy.Command, error) {
	rc, err := cqlshrc.Find(o.Cqlshrc)
	if err != nil {
		return nil, fmt.Errorf("the configuration of cqlsh: %w", err)
	}
	keyspace := o.Keyspace
	if keyspace == "" {
		if keyspace, err = rc.Keyspace(); err != nil {
			return nil, err
		}
		if keyspace != "" {
			keyspace = cqltype.QuoteIdent(keyspace)
		}
	}
	table, err := cqlshcopy.Table(statement, keyspace)
	if err != nil {
		return nil, err
	}
	options, err := copyOptionsOf(s, rc, statement, table, chosenIn(s, own))
	if err != nil {
		return nil, err
	}
	t, err := cqlshcopy.Translate(statement, keyspace, o.Nulls, options...)
	if err != nil {
		return nil, err
	}
	if t.Connection, err = rc.Connection(chosenIn(s, own)); err != nil {
		return nil, err
	}
	if t.Connection.Password != "" {
		spec.Environment{Warn: s.warn}.WarnReadable(
			"file of cqlsh with a password", t.Connection.PasswordFile,
		)
	}
	for _, read := range t.Connection.Read {
		s.note("reading options from %s", read)
	}
	s.end.cqlsh = originsOf(t, own)
	t.Notes = append(t.Notes, t.Connection.Notes...)
	if o.Explain && t.Connection.Password != "" {
		t.Notes = append(t.Notes, fmt.Sprintf(
			"the command needs the password that is in %s: give it by --password-file or CQLBULK_PASSWORD",
			t.Connection.PasswordFile,
		))
	}
	return t, nil
}

// originsOf returns where the files of cqlsh have the flags that they set.
func originsOf(t *cqlshcopy.Command, own *pflag.FlagSet) map[string]config.Origin {
	origins := make(map[string]config.Origin)
	for _, set := range t.Connection.Settings {
		origins[set.Flag] = set.Origin
	}
	for flag, o := range t.Origins {
		if f := own.Lookup(flag); f == nil || !f.Changed {
			origins[flag] = o
		}
	}
	return origins
}

// copyOptionsOf returns the COPY options of files: those of CONFIGFILE, or else of the cqlshrc.
func copyOptionsOf(
	s streams,
	rc *cqlshrc.File,
	statement *copystmt.Statement,
	table spec.TableName,
	chosen cqlshrc.Chosen,
) ([]cqlshrc.Option, error) {
	var options []cqlshrc.Option
	if _, ok := chosen("datetimeformat"); !ok {
		if o, ok := rc.TimeFormat(); ok {
			options = append(options, o)
		}
	}
	named, _ := statement.Option(cqlshcopy.ConfigFile)
	if named.Value == "" {
		return append(options, rc.Copy(statement.Direction, table)...), nil
	}
	f, err := cqlshrc.Open(named.Value)
	if err != nil {
		return nil, fmt.Errorf(
			"the statement: line %d, column %d: CONFIGFILE: %w",
			named.At.Line, named.At.Column, err,
		)
	}
	options = append(options, f.Copy(statement.Direction, table)...)
	if f.Read() == "" {
		s.warn("CONFIGFILE %s has no section %s", named.Value,
			cqlshrc.Sections(statement.Direction, table))
	} else {
		s.note("reading options from %s", f.Read())
	}
	return options, nil
}

// chosenIn returns which flags were set for cqlbulk: on the command line, by the environment or by
// the configuration file.
func chosenIn(s streams, own *pflag.FlagSet) cqlshrc.Chosen {
	return func(flag string) (string, bool) {
		f := own.Lookup(flag)
		if f == nil || s.end.settings.Origin(flag).From == config.FromDefault {
			return "", false
		}
		texts := flagset.Texts(f)
		if len(texts) == 0 {
			return "", true
		}
		return texts[0], true
	}
}
