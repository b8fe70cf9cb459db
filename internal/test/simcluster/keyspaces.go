package simcluster

import "github.com/datastax/go-cassandra-native-protocol/datatype"

// name is that of the cluster.
func (c *Cluster) name() string {
	if c.options.AmazonKeyspaces {
		return "Amazon Keyspaces"
	}
	return clusterName
}

// keyspacesTables is the table of tables that Amazon Keyspaces alone has.
func (c *Cluster) keyspacesTables() *relation {
	r := &relation{columns: []column{
		{"keyspace_name", textType, true},
		{"table_name", textType, false},
		{"custom_properties", datatype.NewMap(textType, datatype.NewMap(textType, textType)), false},
	}}
	status := "disabled"
	if c.options.ClientTimes {
		status = "enabled"
	}
	properties := elements(integer(2), [][]byte{
		text("client_side_timestamps"), textMap(map[string]string{"status": status}),
		text("point_in_time_recovery"), textMap(map[string]string{"status": "enabled"}),
	})
	for _, t := range c.schema.list() {
		r.rows = append(r.rows, [][]byte{text(t.keyspace), text(t.name), properties})
	}
	return r
}
