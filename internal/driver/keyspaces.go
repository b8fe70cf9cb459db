package driver

import (
	"bytes"
	"context"
)

// ClientTimes reports whether a table of Amazon Keyspaces takes write times from clients. Its
// property client_side_timestamps is then a map whose status is enabled.
func (s *Session) ClientTimes(ctx context.Context, keyspace, table string) (bool, error) {
	var properties cell
	taken := false
	err := s.each(
		ctx,
		"",
		func() error {
			taken = enabled(properties.bytes, "client_side_timestamps")
			return nil
		},
		[]any{&properties},
		"SELECT custom_properties FROM system_schema_mcs.tables WHERE keyspace_name = ? AND table_name = ?",
		keyspace,
		table,
	)
	return taken, err
}

// enabled reports whether a property is enabled. It looks for the words, because only the form in
// which the service prints properties is documented, and not their type.
func enabled(properties []byte, name string) bool {
	const longest = 40 // of what is between the name and the end of its status
	at := bytes.Index(properties, []byte(name))
	if at < 0 {
		return false
	}
	rest := properties[at+len(name):]
	return bytes.Contains(rest[:min(len(rest), longest)], []byte("enabled"))
}
