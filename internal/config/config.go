// Package config reads settings of the command line from a configuration file and from environment
// variables.
//
// A setting has one name: the flag --ingestrate is ingestrate in the file and CQLBULK_INGESTRATE in
// the environment (dashes become underscores). The order of precedence, lowest first: default,
// file, environment, flag. In the file, a section named after a command (scan:, load:) holds
// settings for only that command. They take precedence over those at the top. The file is YAML
// whatever its name. A list is a YAML list, or one text with commas as in a flag.
//
// The file and the environment may hold passwords. Therefore errors quote only names of settings,
// numbers and the like from the file.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"

	"github.com/cqlbulk/cqlbulk/internal/owner"
	"github.com/cqlbulk/cqlbulk/pkg/levenshtein"
)

// EnvPrefix begins the name of every environment variable that is a setting. Names that begin with
// TestPrefix are not settings: the program's own tests read them.
const (
	EnvPrefix  = "CQLBULK"
	TestPrefix = EnvPrefix + "_TEST_"
)

// FileFlag is the flag that names the configuration file.
const FileFlag = "config"

// File is the configuration file that was read; empty when there is none.
type File struct {
	Path    string
	keys    []string // as they stand in it, those of a section behind its name and a dot
	origins map[string]Origin
	// document is what stands in it; nil where that cannot be read. It is read when it is first
	// asked for: no run needs it.
	document func() *yaml.Node
}

// Has says whether a setting stands in the file, at the top or in any section.
func (f File) Has(name string) bool {
	return slices.ContainsFunc(
		f.keys,
		func(key string) bool { return key == name || strings.HasSuffix(key, "."+name) },
	)
}

// Apply sets every flag that is not on the command line from the environment or the configuration
// file, and returns which file it read. The name of the command is command, and of is that of the
// command whose run it resumes, or empty. Sections of the file for either apply. The names of the
// settings of all commands are in settings. Apply reports any other name in the file or the
// environment as misspelt.
func Apply(command, of string, flags *pflag.FlagSet, settings, commands []string) (File, error) {
	unknown := checkVariables(os.Environ(), settings)
	known := func(name string) bool { return slices.Contains(settings, name) }
	v := viper.New()
	path, err := read(v, flags)
	if err != nil {
		return File{}, errors.Join(unknown, err)
	}
	file := File{Path: path, keys: v.AllKeys()}
	inSection := func(section, name string) bool {
		if section == command {
			return known(name) && flags.Lookup(name) != nil
		}
		return known(name)
	}
	if err := errors.Join(unknown, check(v, path, settings, inSection, commands)); err != nil {
		return File{}, err
	}
	sections := v
	top := v.AllSettings()
	for _, name := range commands { // one may be called as a flag is
		delete(top, name)
	}
	v = viper.New()
	ofBoth := []map[string]any{
		top, sections.GetStringMap(of), sections.GetStringMap(command),
	}
	for _, settings := range ofBoth {
		if err := v.MergeConfigMap(settings); err != nil {
			return File{}, fmt.Errorf("configuration file %s: %w", path, err)
		}
	}
	v.SetEnvPrefix(EnvPrefix)
	v.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	v.AutomaticEnv()
	var failures []error
	file.origins, file.document = make(
		map[string]Origin,
	), sync.OnceValue(
		func() *yaml.Node { return documentOf(path) },
	)
	flags.VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Changed:
			file.origins[f.Name] = Origin{From: FromFlag}
			return
		case f.Name == FileFlag || f.Name == "help" || !v.IsSet(f.Name):
			return
		}
		file.origins[f.Name] = file.originOf(f.Name, command, of)
		if err := set(f, v); err != nil {
			failures = append(
				failures,
				fmt.Errorf("setting %s from %s: %w", f.Name, file.origins[f.Name].home(), err),
			)
		}
	})
	return file, errors.Join(failures...)
}

// set gives a flag the value found, keeping Changed false so that what the user
// typed stays distinguishable.
func set(f *pflag.Flag, v *viper.Viper) error {
	value := v.Get(f.Name)
	text, isText := value.(string)
	elements, isList := value.([]any)
	list, wantsList := f.Value.(pflag.SliceValue)
	switch {
	case isText && text == "" && f.Value.Type() == "stringToString": // no pairs, which the library cannot read
		return nil
	case isText:
		return f.Value.Set(text)
	case isList && !wantsList:
		return errors.New("a list where one value is expected")
	case isList:
		texts := make([]string, len(elements))
		for i, e := range elements {
			if texts[i], isText = e.(string); !isText {
				return fmt.Errorf("element %d: %w", i+1, errNotText)
			}
		}
		return list.Replace(texts)
	case wantsList || f.Value.Type() == "string":
		return errNotText
	default:
		err := f.Value.Set(v.GetString(f.Name))
		if err != nil && f.Value.Type() == "mode" {
			return errNotText // of 0640, YAML leaves 416
		}
		return err
	}
}

// errNotText keeps a password 0123 from becoming 83.
var errNotText = errors.New("put the text in quotes, else YAML reads it as something else")

// EnvName is the environment variable of a setting.
func EnvName(name string) string {
	return EnvPrefix + "_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// checkVariables refuses variables that are named like settings and are none. One that
// is empty counts as not set. Their values may be secrets.
func checkVariables(environ, settings []string) error {
	var names []string
	for _, name := range settings {
		names = append(names, strings.TrimPrefix(EnvName(name), EnvPrefix+"_"))
	}
	var failures []error
	for _, variable := range slices.Sorted(slices.Values(environ)) {
		variable, value, _ := strings.Cut(variable, "=")
		name, ours := strings.CutPrefix(variable, EnvPrefix+"_")
		if !ours || value == "" || slices.Contains(names, name) ||
			strings.HasPrefix(variable, TestPrefix) {
			continue
		}
		hint := ""
		if nearest := levenshtein.Nearest(name, names); nearest != "" {
			hint = fmt.Sprintf("; did you mean %s?", EnvPrefix+"_"+nearest)
		}
		failures = append(failures, fmt.Errorf("unknown environment variable %s%s", variable, hint))
	}
	return errors.Join(failures...)
}

// didYouMean is a hint at the name that is nearest to one in the file, if there is one.
func didYouMean(name string, names []string) string {
	// In the file some write null_string.
	if nearest := levenshtein.Nearest(
		strings.ReplaceAll(name, "_", "-"),
		names,
	); nearest != "" &&
		nearest != name {
		return fmt.Sprintf("; did you mean %q?", nearest)
	}
	return ""
}

// read loads the configuration file: the one that --config or CQLBULK_CONFIG
// names, or else the first of the usual places that has one.
func read(v *viper.Viper, flags *pflag.FlagSet) (string, error) {
	path, err := flags.GetString(FileFlag)
	if err != nil {
		return "", err
	}
	if path == "" {
		path = os.Getenv(EnvName(FileFlag))
	}
	named := path != ""
	if !named {
		if path = usual(); path == "" {
			return "", nil
		}
		if err := checkOwner(path); err != nil {
			return "", err
		}
	}
	v.SetConfigFile(path)
	v.SetConfigType("yaml")
	if err := v.ReadInConfig(); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("configuration file %s: %w", path, fs.ErrNotExist)
		}
		return "", fmt.Errorf("configuration file %s: %w", path, withoutValues(err))
	}
	return path, nil
}

// quotedValue finds what the YAML parser quotes from the file. A single
// character in quotes is its word for what it expected.
var quotedValue = regexp.MustCompile("(?s)`.*`|'[^']{2,}'")

// withoutValues takes out of a parser's error what it shows of the file.
func withoutValues(err error) error {
	var broken viper.ConfigParseError
	if !errors.As(err, &broken) {
		return err
	}
	_, text, _ := strings.Cut(broken.Error(), "yaml: ")
	if strings.HasPrefix(text, "unmarshal errors") && strings.Contains(text, "into map") {
		return errors.New(`not a list of settings, each a line of "name: value"`)
	}
	return fmt.Errorf("not valid YAML: %s", quotedValue.ReplaceAllString(text, "(a value)"))
}

// Places returns the paths at which a configuration file may be, in the order in which they are
// tried.
func Places() []string {
	places := []string{"cqlbulk.yaml"}
	if dir, err := os.UserConfigDir(); err == nil {
		places = append(places, filepath.Join(dir, "cqlbulk", "cqlbulk.yaml"))
	}
	return append(places, "/etc/cqlbulk/cqlbulk.yaml")
}

// otherOwner is [owner.Other]. Tests replace it.
var otherOwner = owner.Other

// checkOwner refuses a file of the working folder that belongs to another user. In a folder
// where others may write, the file could send a password to their hosts. The other places
// belong to this user or to root.
func checkOwner(path string) error {
	if filepath.IsAbs(path) {
		return nil
	}
	other := otherOwner(path)
	if other == "" {
		return nil
	}
	return fmt.Errorf("configuration file %s of this folder belongs to user %s, and could have "+
		"your password sent elsewhere: if you trust it, name it (--%s ./%[1]s); --%[3]s /dev/null uses no file",
		path, other, FileFlag)
}

func usual() string {
	for _, place := range Places() {
		if _, err := os.Stat(place); err == nil {
			return place
		}
	}
	return ""
}

// check refuses names in the file that no command knows, and names in a section that inSection does
// not know. Its error suggests the nearest name.
func check(
	v *viper.Viper,
	path string,
	settings []string,
	inSection func(section, name string) bool,
	commands []string,
) error {
	var failures []error
	refuse := func(format string, args ...any) {
		failures = append(
			failures,
			fmt.Errorf("configuration file %s: %s", path, fmt.Sprintf(format, args...)),
		)
	}
	for _, key := range slices.Sorted(slices.Values(v.AllKeys())) {
		name, below, nested := strings.Cut(key, ".")
		ok, near := slices.Contains(settings, name), slices.Concat(settings, commands)
		if slices.Contains(commands, name) {
			ok = v.Get(name) == nil
			if nested {
				name, _, nested = strings.Cut(below, ".")
				near = settings
				ok = inSection(key[:len(key)-len(below)-1], name)
			}
		}
		switch {
		case !ok:
			refuse("unknown setting %q%s", key, didYouMean(name, near))
		case nested:
			refuse("setting %q: other settings where a value is expected", name)
		}
	}
	return errors.Join(failures...)
}
