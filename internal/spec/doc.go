// Package spec holds the settings of every operation: [Load], [Scan], [Count], [Clone], [Plan],
// [Resume], [Verify] and [Inspect]. It names their defaults and checks them.
//
// Flags, a COPY statement and a run directory all fill these structs, by the names that their
// Settings methods return (see package setting). Groups that several operations share are structs
// of their own: [Connection], [TableName], [Text], [Dialect], [Output], [Reading], [Writing],
// [Planning] and [Pacing].
//
// A check returns an error that begins with the flag. It changes only what a flag leaves open, such
// as a format that follows from a file's name. Nothing here connects to a cluster.
package spec
