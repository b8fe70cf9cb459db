package cli

import (
	"encoding/json"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/testscript"
)

// follows is the command "follows schema stdout|stderr|file [member...]". It checks that the last
// output, or the last line of the standard error, is an object by the schema with these members.
func follows(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: follows schema stdout|stderr|file [member...]")
	}
	var schema jsonschema.Schema
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &schema))
	resolved, err := schema.Resolve(nil)
	ts.Check(err)
	text := strings.TrimSpace(ts.ReadFile(args[1]))
	if args[1] == "stderr" {
		text = text[strings.LastIndexByte(text, '\n')+1:]
	}
	var object map[string]any
	ts.Check(json.Unmarshal([]byte(text), &object))
	if err := resolved.Validate(object); err != nil {
		ts.Fatalf("%v: %s", err, text)
	}
	for _, member := range args[2:] {
		if _, ok := object[member]; !ok {
			ts.Fatalf("there is no %q: %s", member, text)
		}
	}
}
