package cli

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/operation/setting"
)

// binder makes flags of settings: each sets the field of its setting, and has as its
// default what stands there.
type binder struct {
	flags    *pflag.FlagSet
	settings setting.List
}

// add adds the flag of a setting, with its help.
func (b binder) add(name, usage string) { b.addShort(name, "", usage) }

// addShort adds a flag that has a letter, too.
func (b binder) addShort(name, short, usage string) {
	s, ok := b.settings.Find(name)
	if !ok {
		panic("there is no setting " + name)
	}
	switch field := s.Field.(type) {
	case *string:
		b.flags.StringVarP(field, name, short, *field, usage)
	case *bool:
		b.flags.BoolVarP(field, name, short, *field, usage)
	case *int:
		b.flags.IntVarP(field, name, short, *field, usage)
	case *int64:
		b.flags.Int64VarP(field, name, short, *field, usage)
	case *uint64:
		b.flags.Uint64VarP(field, name, short, *field, usage)
	case *float64:
		b.flags.Float64VarP(field, name, short, *field, usage)
	case *time.Duration:
		b.flags.DurationVarP(field, name, short, *field, usage)
	case *[]string:
		b.flags.StringSliceVarP(field, name, short, *field, usage)
	case *map[string]string:
		b.flags.StringToStringVarP(field, name, short, *field, usage)
	case pflag.Value: // *setting.Size
		b.flags.VarP(field, name, short, usage)
	default:
		panic(fmt.Sprintf("setting %s: there is no flag of a %T", name, s.Field))
	}
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

// changes are the flags that were set, on the command line or by a configuration file or
// the environment, which a flag does not tell of itself.
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
	return []string{f.Value.String()}
}
