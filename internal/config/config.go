// Package config gives every setting of the command line two more homes: a
// configuration file and the environment.
//
// A setting has one name: the flag --ingestrate is ingestrate in the file and
// CQLBULK_INGESTRATE in the environment (dashes become underscores). Later homes
// win: default, file, environment, flag. In the file, a section named after a
// command (scan:, load:) holds settings for that command alone, which win over
// those at the top.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// EnvPrefix begins the name of every environment variable.
const EnvPrefix = "CQLBULK"

// FileFlag is the flag that names the configuration file.
const FileFlag = "config"

// Apply sets every flag that the command line left alone from the environment
// or the configuration file. command is the command's name; known says whether a
// name is a setting of any command, so that a misspelt one in the file is told.
func Apply(command string, flags *pflag.FlagSet, known func(name string) bool, commands []string) error {
	v := viper.New()
	v.SetEnvPrefix(EnvPrefix)
	v.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	v.AutomaticEnv()
	path, err := read(v, flags)
	if err != nil {
		return err
	}
	if err := check(v, path, known, commands); err != nil {
		return err
	}
	if err := v.MergeConfigMap(v.GetStringMap(command)); err != nil {
		return fmt.Errorf("%s: section %s: %w", path, command, err)
	}
	var failures []error
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed || f.Name == FileFlag || f.Name == "help" || !v.IsSet(f.Name) {
			return
		}
		if err := set(f, v); err != nil {
			failures = append(failures, fmt.Errorf("setting %s from %s: %w", f.Name, origin(f.Name, path), err))
		}
	})
	return errors.Join(failures...)
}

// set gives a flag the value found, keeping Changed false so that what the user
// typed stays distinguishable.
func set(f *pflag.Flag, v *viper.Viper) error {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		values := v.GetStringSlice(f.Name)
		if text, ok := v.Get(f.Name).(string); ok {
			values = strings.Split(text, ",")
		}
		return list.Replace(values)
	}
	return f.Value.Set(v.GetString(f.Name))
}

// EnvName is the environment variable of a setting.
func EnvName(name string) string {
	return EnvPrefix + "_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

func origin(name, path string) string {
	if _, ok := os.LookupEnv(EnvName(name)); ok {
		return EnvName(name)
	}
	return path
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
	}
	v.SetConfigFile(path)
	if err := v.ReadInConfig(); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("configuration file %s: %w", path, fs.ErrNotExist)
		}
		return "", fmt.Errorf("configuration file %s: %w", path, err)
	}
	return path, nil
}

// Places lists where a configuration file is looked for, in order.
func Places() []string {
	places := []string{"cqlbulk.yaml"}
	if dir, err := os.UserConfigDir(); err == nil {
		places = append(places, filepath.Join(dir, "cqlbulk", "cqlbulk.yaml"))
	}
	return append(places, "/etc/cqlbulk/cqlbulk.yaml")
}

func usual() string {
	for _, place := range Places() {
		if _, err := os.Stat(place); err == nil {
			return place
		}
	}
	return ""
}

// check refuses names in the file that no command knows.
func check(v *viper.Viper, path string, known func(string) bool, commands []string) error {
	var failures []error
	for _, key := range v.AllKeys() {
		name := key
		if section, rest, ok := strings.Cut(key, "."); ok {
			for _, c := range commands {
				if section == c {
					name = rest
				}
			}
		}
		if !known(name) {
			failures = append(failures, fmt.Errorf("configuration file %s: unknown setting %q", path, key))
		}
	}
	return errors.Join(failures...)
}
