package schema

import (
	"fmt"
	"regexp"
)

// Servers name folders after keyspaces and tables, and so does cqlbulk.
// Source: org.apache.cassandra.schema.SchemaConstants.isValidName and TABLE_NAME_LENGTH (222 since
// 5.0, 48 before; 48 of a keyspace). ScyllaDB allows 192 characters of both.
var word = regexp.MustCompile(`^[0-9A-Za-z_]+$`)

const (
	mostKeyspaceName = 192
	mostTableName    = 222
)

// CheckKeyspaceName refuses a name that no server allows for a keyspace.
func CheckKeyspaceName(name string) error { return checkName("keyspace", name, mostKeyspaceName) }

// CheckTableName refuses a name that no server allows for a table.
func CheckTableName(name string) error { return checkName("table", name, mostTableName) }

func checkName(kind, name string, most int) error {
	if !word.MatchString(name) {
		return fmt.Errorf(
			"%s %q: servers allow letters of ASCII, digits and underscores only",
			kind,
			name,
		)
	}
	if len(name) > most {
		return fmt.Errorf("%s %q: has %d characters, servers allow %d", kind, name, len(name), most)
	}
	return nil
}

// id is the form of a table's id.
var id = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// CheckTableID refuses an id that is not a UUID. It may be empty.
func CheckTableID(text string) error {
	if text != "" && !id.MatchString(text) {
		return fmt.Errorf("table id %q is not a UUID", text)
	}
	return nil
}
