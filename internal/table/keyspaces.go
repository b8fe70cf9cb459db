package table

import (
	"context"
	"errors"
)

// keyspacesName is the name that Amazon Keyspaces has for its clusters. It has limits of its own:
// see "Supported Cassandra APIs" and "Quotas" in its developer guide.
const keyspacesName = "Amazon Keyspaces"

// KeyspacesBatch is the largest number of rows in an unlogged batch of Amazon Keyspaces.
const KeyspacesBatch = 30

// IsKeyspaces reports whether the cluster is Amazon Keyspaces.
func (t *Table) IsKeyspaces() bool { return t.Cluster != nil && t.Cluster.Name == keyspacesName }

// TakesTimes reports whether rows may be written with a write time of the client. In Amazon
// Keyspaces that is a property of the table, by default off. The argument needed names a setting by
// which rows have such times; empty: there is none. If there is one, and write times are not taken,
// the error says so.
func (t *Table) TakesTimes(ctx context.Context, needed string) (bool, error) {
	if !t.IsKeyspaces() || !t.Connected() {
		return true, nil
	}
	takes := false
	err := AskAll(ctx, func() (err error) {
		takes, err = t.Session.ClientTimes(ctx, t.Schema.Keyspace, t.Schema.Name)
		return err
	})
	if err == nil && !takes && needed != "" {
		err = errors.New(
			needed + ": the table takes no write times; in Amazon Keyspaces a table takes them with the property client_side_timestamps",
		)
	}
	return takes, err
}
