package config

import (
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// From says what kind of home a value in force has.
type From string

// The origins of a value. Each takes precedence over those before it.
const (
	FromDefault     From = "default"
	FromFile        From = "file"
	FromEnvironment From = "environment"
	FromFlag        From = "flag"
)

// Origin is where a value in force comes from.
type Origin struct {
	From     From
	Path     string // of the file
	Line     int    // in it; 0: not known
	Variable string // of the environment

	key string // in the file
}

// home names the file or the variable.
func (o Origin) home() string {
	if o.From == FromEnvironment {
		return o.Variable
	}
	return o.Path
}

// Origin is where the value of a flag comes from that [Apply] has been given.
func (f File) Origin(name string) Origin {
	o, ok := f.origins[name]
	switch {
	case !ok:
		o.From = FromDefault
	case o.From == FromFile:
		o.Line = f.lineOf(o.key)
	}
	o.key = "" // no longer the key of any section
	return o
}

// originOf is where a value comes from that was found for a flag of a command, without its line.
func (f File) originOf(name, command, of string) Origin {
	if os.Getenv(EnvName(name)) != "" {
		return Origin{From: FromEnvironment, Variable: EnvName(name)}
	}
	key := name
	for _, section := range []string{of, command} { // which wins
		if inSection := section + "." + name; section != "" && slices.Contains(f.keys, inSection) {
			key = inSection
		}
	}
	return Origin{From: FromFile, Path: f.Path, key: key}
}

// lineOf is the line of the file that a key stands in; 0: it is not found.
func (f File) lineOf(key string) int {
	node, line := f.document(), 0
	for name := range strings.SplitSeq(key, ".") {
		if node == nil || node.Kind != yaml.MappingNode {
			return 0
		}
		var below *yaml.Node
		for i := 0; i+1 < len(node.Content); i += 2 {
			if strings.EqualFold(node.Content[i].Value, name) {
				line, below = node.Content[i].Line, node.Content[i+1]
			}
		}
		if below == nil {
			return 0
		}
		node = below
	}
	return line
}

// documentOf is the top of what stands in a file of YAML; nil: it cannot be read, or is empty.
func documentOf(path string) *yaml.Node {
	text, err := os.ReadFile(path)
	var document yaml.Node
	if err != nil || yaml.Unmarshal(text, &document) != nil || len(document.Content) == 0 {
		return nil
	}
	return document.Content[0]
}
