// Package driver is the one room that speaks to the database: it connects,
// reads topology and schema, reads pages and writes rows. No type of the
// underlying driver library leaves it.
//
// Start with [Connect]. A [Session] and all that it hands out are safe for
// concurrent use unless said otherwise. Nothing in here retries: every error is
// returned with its class (package fault), and the pipelines decide.
package driver
