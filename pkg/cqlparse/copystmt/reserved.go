package copystmt

import "strings"

// reserved are the words that cqlsh does not accept as a name without quotes.
var reserved = func() map[string]bool {
	const words = `
		add allow alter and apply asc authorize batch begin by columnfamily create delete desc
		describe drop entries execute from full grant if in index infinity insert into is
		keyspace limit materialized modify nan norecursive not null of on or order primary
		rename revoke schema select set table to token truncate unlogged update use using view
		where with`
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}()
