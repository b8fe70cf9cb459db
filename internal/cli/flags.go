package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// A group is what some flags are about. Help has them in this order.
type group string

const (
	groupInput      group = "Input"
	groupOutput     group = "Output"
	groupFormat     group = "Format"
	groupColumns    group = "Columns"
	groupValues     group = "Values"
	groupRows       group = "Rows"
	groupWrites     group = "Meaning of writes"
	groupOther      group = "Other cluster, which is read"
	groupFolders    group = "Folders, which are read"
	groupPast       group = "Streaming and SSTables"
	groupPace       group = "Pace"
	groupErrors     group = "Errors and run directory"
	groupConnection group = "Connection and TLS"
	groupShown      group = "What is shown"
	groupEverywhere group = "Everywhere"
)

var groups = []group{
	groupInput,
	groupOutput,
	groupFormat,
	groupColumns,
	groupValues,
	groupRows,
	groupWrites,
	groupOther,
	groupFolders,
	groupPast,
	groupPace,
	groupErrors,
	groupConnection,
	groupShown,
	groupEverywhere,
}

// What a flag's annotations say of it, to help and to completion.
const (
	inGroup    = "cqlbulk_group"
	isEveryday = "cqlbulk_everyday" // stands in --help
	isPath     = "cqlbulk_path"     // names a file, or with a value a folder
	amongThese = "cqlbulk_among"    // the values it may have
	isOfOneRun = "cqlbulk_once"     // is for one call: no setting of the file or the environment
)

// binder makes flags of settings: each sets the field of its setting, and has as its
// default what stands there.
type binder struct {
	flags    *pflag.FlagSet
	settings setting.List
	group    group
}

// in gives a binder for flags of a group.
func (b binder) in(g group) binder {
	b.group = g
	return b
}

// trait is something that a flag has besides its name and its help.
type trait func(f *pflag.Flag)

// everyday flags stand in --help, the others in --help-all alone. There, help ends at its
// first semicolon.
func everyday(f *pflag.Flag) { annotate(f, isEveryday) }

// path flags name a file that is no setting's path: the setting is private.
func path(f *pflag.Flag) { annotate(f, isPath) }

// folder flags name a folder.
func folder(f *pflag.Flag) { annotate(f, isPath, "folder") }

// once flags are for one call of the program, and no settings.
func once(f *pflag.Flag) { annotate(f, isOfOneRun) }

// letter gives a flag a short name.
func letter(short string) trait { return func(f *pflag.Flag) { f.Shorthand = short } }

// among are the values of a flag.
func among(
	values ...string,
) trait {
	return func(f *pflag.Flag) { annotate(f, amongThese, values...) }
}

// of is the group of a flag.
func of(g group) trait { return func(f *pflag.Flag) { annotate(f, inGroup, string(g)) } }

func annotate(f *pflag.Flag, name string, values ...string) {
	if f.Annotations == nil {
		f.Annotations = make(map[string][]string)
	}
	f.Annotations[name] = values
}

// add adds the flag of a setting, with its help.
func (b binder) add(name, usage string, traits ...trait) {
	s, ok := b.settings.Find(name)
	if !ok {
		panic("there is no setting " + name)
	}
	traits = append([]trait{of(b.group)}, traits...)
	if s.Use == setting.Path {
		traits = append([]trait{path}, traits...)
	}
	if len(s.Among) > 0 {
		traits = append(traits, among(s.Among...))
	}
	addFlag(b.flags, flagOf(s), usage, traits...)
}

// valuesOf are the values that a setting may have.
func (b binder) valuesOf(name string) []string {
	s, _ := b.settings.Find(name)
	return s.Among
}

// flagOf makes the flag of a setting.
func flagOf(s setting.Setting) *pflag.Flag {
	one := pflag.NewFlagSet("", pflag.ContinueOnError)
	switch field := s.Field.(type) {
	case *string:
		one.StringVar(field, s.Name, *field, "")
	case *[]string:
		one.StringSliceVar(field, s.Name, *field, "")
	case *map[string]string:
		one.StringToStringVar(field, s.Name, *field, "")
	default:
		one.Var(s.Value(), s.Name, "")
	}
	return one.Lookup(s.Name)
}

// addFlag adds a flag. Of one that is on or off, the name alone means on.
func addFlag(flags *pflag.FlagSet, f *pflag.Flag, usage string, traits ...trait) {
	f.Usage = usage
	for _, t := range traits {
		t(f)
	}
	if on, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && on.IsBoolFlag() {
		f.NoOptDefVal = "true"
	}
	flags.AddFlag(f)
}

// addOwn adds a flag of the command line's own, which is no setting of an operation.
func addOwn(flags *pflag.FlagSet, field any, name, usage string, traits ...trait) {
	addFlag(flags, flagOf(setting.Setting{Name: name, Field: field}), usage, traits...)
}

// groupOf is the group of a flag.
func groupOf(f *pflag.Flag) group {
	if names := f.Annotations[inGroup]; len(names) > 0 {
		return group(names[0])
	}
	if f.Name == "help" { // made by the library
		return groupEverywhere
	}
	return groupShown
}

// typed are the flags that were given on the command line.
func typed(f *pflag.FlagSet) setting.Given {
	given := make(setting.Given)
	f.VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			given[f.Name] = true
		}
	})
	return given
}

// changes returns the flags that were set on the command line, by a configuration file or by the
// environment. A flag does not record that itself.
func changes(f *pflag.FlagSet) setting.Changes {
	c := setting.Changes{Values: make(setting.Values), Typed: typed(f)}
	f.VisitAll(func(f *pflag.Flag) {
		if f.Changed || f.Value.String() != f.DefValue {
			c.Values[f.Name] = texts(f)
		}
	})
	return c
}

// texts is a flag's value as a setting takes it.
func texts(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	text := f.Value.String()
	if f.Value.Type() == pairsType { // which the library writes in brackets
		text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	}
	return []string{text}
}

// What the library calls the values of flags of lists and of pairs.
const (
	listType  = "stringSlice"
	pairsType = "stringToString"
)
