package report

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite docs/report.schema.json")

const schemaFile = "../../docs/report.schema.json"

// The schema that users have is that of the types. -update makes it so.
func TestSchemaIsThatOfTheTypes(t *testing.T) {
	schema, err := jsonschema.For[Document](nil)
	require.NoError(t, err)
	schema.Schema = "https://json-schema.org/draft/2020-12/schema"
	schema.Title = "What a command of cqlbulk answers with --json"
	text, err := json.MarshalIndent(schema, "", "  ")
	require.NoError(t, err)
	text = append(text, '\n')
	if *update {
		require.NoError(t, os.WriteFile(schemaFile, text, 0o644))
	}
	saved, err := os.ReadFile(schemaFile)
	require.NoError(t, err)
	require.Equal(t, string(saved), string(text), "go test ./internal/report -update rewrites it")
}
