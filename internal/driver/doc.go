// Package driver is the only package that speaks CQL to the database: it connects, reads topology
// and schema, reads pages and writes rows. It exposes no type of the underlying driver library.
//
// Start with [Connect]. A [Session] and all that it returns are safe for concurrent use unless
// stated otherwise. The package does not retry: every error has a class (package fault), and the
// pipelines decide.
package driver
