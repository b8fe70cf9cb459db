package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licenseFile is what a module's licence, and what else has to be passed on with it, is called.
var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// writeLicenses writes the licences of all that is in any of the binaries. Each of them asks for
// that where a binary is passed on.
func writeLicenses(r release, binaries []string) error {
	found := make(map[string]bool)
	for _, b := range binaries {
		info, err := buildinfo.ReadFile(b)
		if err != nil {
			return err
		}
		for _, m := range modules(info) {
			found[m.Path+"@"+m.Version] = true
		}
	}
	names := slices.Sorted(maps.Keys(found))
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return withStderr("go env", err)
	}
	folders, err := download(names)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	out.WriteString("cqlbulk is made of these, each under the licence that follows it.\n")
	if err := appendLicenses(
		&out,
		"the Go standard library",
		strings.TrimSpace(string(root)),
	); err != nil {
		return err
	}
	for i, name := range names {
		if err := appendLicenses(&out, name, folders[i]); err != nil {
			return err
		}
	}
	if name, folder, embedded := strings.Cut(r.vendored, "="); embedded {
		if err := appendLicenses(&out, name, folder); err != nil {
			return err
		}
	}
	return os.WriteFile(r.output, out.Bytes(), 0o644)
}

// download gives the folders of modules, in their order.
func download(modules []string) ([]string, error) {
	answer, err := exec.Command("go", append([]string{"mod", "download", "-json"}, modules...)...).
		Output()
	if err != nil {
		return nil, withStderr("go mod download", err)
	}
	folders := make(map[string]string)
	for d := json.NewDecoder(bytes.NewReader(answer)); ; {
		var m struct{ Path, Version, Dir string }
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go mod download: %w", err)
		}
		folders[m.Path+"@"+m.Version] = m.Dir
	}
	out := make([]string, len(modules))
	for i, m := range modules {
		if out[i] = folders[m]; out[i] == "" {
			return nil, fmt.Errorf("go mod download reports no folder of %s", m)
		}
	}
	return out, nil
}

// withStderr adds what a command printed to its error.
func withStderr(command string, err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%s: %w: %s", command, err, bytes.TrimSpace(exit.Stderr))
	}
	return fmt.Errorf("%s: %w", command, err)
}

// appendLicenses appends the licences in a folder; that there is none is an error.
func appendLicenses(out *bytes.Buffer, name, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	some := false
	for _, e := range entries {
		if !e.Type().IsRegular() || !licenseFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(
			out,
			"\n%s\n%s: %s\n\n%s\n",
			strings.Repeat("=", 80),
			name,
			e.Name(),
			bytes.TrimSpace(text),
		)
		some = true
	}
	if !some {
		return fmt.Errorf("%s has no licence in %s", name, folder)
	}
	return nil
}
