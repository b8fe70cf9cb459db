// Package table opens a table and its cluster: from the cluster itself ([Open]), or from files that
// describe both ([OpenOffline]). It knows where the rows of each token range live, and reports what
// changed since: nodes, replication, dropped columns, truncations.
//
// A [Table] without a Session is known from files alone; [Table.Connected] reports which it is.
package table
