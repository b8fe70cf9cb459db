// Package flagset makes the flags of commands from settings. Help and completion learn from it what
// a flag has besides its name: its group, its values, and whether the short help has it.
package flagset

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Group is what some flags are about, as help has it for a heading.
type Group string

// The groups of flags.
const (
	GroupInput      Group = "Input"
	GroupOutput     Group = "Output"
	GroupFormat     Group = "Format"
	GroupColumns    Group = "Columns"
	GroupValues     Group = "Values"
	GroupRows       Group = "Rows"
	GroupWrites     Group = "Meaning of writes"
	GroupOther      Group = "Other cluster, which is read"
	GroupFolders    Group = "Folders, which are read"
	GroupPast       Group = "Streaming and SSTables"
	GroupPace       Group = "Pace"
	GroupErrors     Group = "Errors and run directory"
	GroupConnection Group = "Connection and TLS"
	GroupNodes      Group = "Nodes, and how they are reached"
	GroupShown      Group = "What is shown"
	GroupEverywhere Group = "Everywhere"
)

// Groups are all groups, in the order of help.
var Groups = []Group{
	GroupInput,
	GroupOutput,
	GroupFormat,
	GroupColumns,
	GroupValues,
	GroupRows,
	GroupWrites,
	GroupOther,
	GroupFolders,
	GroupPast,
	GroupPace,
	GroupErrors,
	GroupConnection,
	GroupNodes,
	GroupShown,
	GroupEverywhere,
}

// What a flag's annotations say of it, to help and to completion.
const (
	inGroup    = "cqlbulk_group"
	IsEveryday = "cqlbulk_everyday" // stands in --help
	IsPath     = "cqlbulk_path"     // names a file, or with a value a folder
	AmongThese = "cqlbulk_among"    // the values it may have
	IsOfOneRun = "cqlbulk_once"     // is for one call: no setting of the file or the environment
)

// Binder makes flags of settings. Each flag sets the field of its setting. The value of the field
// is its default.
type Binder struct {
	Flags    *pflag.FlagSet
	Settings setting.List
	Group    Group
}

// In gives a binder for flags of a group.
func (b Binder) In(g Group) Binder {
	b.Group = g
	return b
}

// Trait is something that a flag has besides its name and its help.
type Trait func(f *pflag.Flag)

// Everyday flags stand in --help, the others in --help-all alone. There, help ends at its
// first semicolon.
func Everyday(f *pflag.Flag) { annotate(f, IsEveryday) }

// Path flags name a file that is no setting's path: the setting is private.
func Path(f *pflag.Flag) { annotate(f, IsPath) }

// Folder flags name a folder.
func Folder(f *pflag.Flag) { annotate(f, IsPath, "folder") }

// Once flags are for one call of the program, and no settings.
func Once(f *pflag.Flag) { annotate(f, IsOfOneRun) }

// Letter gives a flag a short name.
func Letter(short string) Trait { return func(f *pflag.Flag) { f.Shorthand = short } }

// Among are the values of a flag.
func Among(
	values ...string,
) Trait {
	return func(f *pflag.Flag) { annotate(f, AmongThese, values...) }
}

// Of is the group of a flag.
func Of(g Group) Trait { return func(f *pflag.Flag) { annotate(f, inGroup, string(g)) } }

func annotate(f *pflag.Flag, name string, values ...string) {
	if f.Annotations == nil {
		f.Annotations = make(map[string][]string)
	}
	f.Annotations[name] = values
}

// Add adds the flag of a setting, with its help. It panics if there is no such setting.
func (b Binder) Add(name, usage string, traits ...Trait) {
	s, ok := b.Settings.Find(name)
	if !ok {
		panic("there is no setting " + name)
	}
	traits = append([]Trait{Of(b.Group)}, traits...)
	if s.Use == setting.Path {
		traits = append([]Trait{Path}, traits...)
	}
	if len(s.Among) > 0 {
		traits = append(traits, Among(s.Among...))
	}
	Add(b.Flags, flagOf(s), usage, traits...)
}

// ValuesOf are the values that a setting may have.
func (b Binder) ValuesOf(name string) []string {
	s, _ := b.Settings.Find(name)
	return s.Among
}

// flagOf makes the flag of a setting.
func flagOf(s setting.Setting) *pflag.Flag {
	one := pflag.NewFlagSet("", pflag.ContinueOnError)
	switch field := s.Field.(type) {
	case *string:
		one.StringVar(field, s.Name, *field, "")
	case *[]string:
		if setting.IsWhole(s.Name) {
			one.StringArrayVar(field, s.Name, *field, "")
			break
		}
		one.StringSliceVar(field, s.Name, *field, "")
	case *map[string]string:
		one.StringToStringVar(field, s.Name, *field, "")
	default:
		one.Var(s.Value(), s.Name, "")
	}
	return one.Lookup(s.Name)
}

// Add adds a flag. Of one that is on or off, the name alone means on.
func Add(flags *pflag.FlagSet, f *pflag.Flag, usage string, traits ...Trait) {
	f.Usage = usage
	for _, t := range traits {
		t(f)
	}
	if on, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && on.IsBoolFlag() {
		f.NoOptDefVal = "true"
	}
	flags.AddFlag(f)
}

// AddOwn adds a flag of the command line's own, which is no setting of an operation.
func AddOwn(flags *pflag.FlagSet, field any, name, usage string, traits ...Trait) {
	Add(flags, flagOf(setting.Setting{Name: name, Field: field}), usage, traits...)
}

// GroupOf is the group of a flag.
func GroupOf(f *pflag.Flag) Group {
	if names := f.Annotations[inGroup]; len(names) > 0 {
		return Group(names[0])
	}
	if f.Name == "help" { // made by the library
		return GroupEverywhere
	}
	return GroupShown
}

// Typed are the flags that were given on the command line.
func Typed(f *pflag.FlagSet) setting.Given {
	given := make(setting.Given)
	f.VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			given[f.Name] = true
		}
	})
	return given
}

// Changes returns the flags that were set on the command line, by a configuration file or by the
// environment. A flag does not record that itself.
func Changes(f *pflag.FlagSet) setting.Changes {
	c := setting.Changes{Values: make(setting.Values), Typed: Typed(f)}
	f.VisitAll(func(f *pflag.Flag) {
		if f.Changed || f.Value.String() != f.DefValue {
			c.Values[f.Name] = Texts(f)
		}
	})
	return c
}

// Texts is a flag's value as a setting takes it.
func Texts(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	text := f.Value.String()
	if f.Value.Type() == PairsType { // which the library writes in brackets
		text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	}
	return []string{text}
}

// What the library calls the values of flags of lists and of pairs.
const (
	ListType  = "stringSlice"
	WholeType = "stringArray" // of a list that is not divided at commas
	PairsType = "stringToString"
)
