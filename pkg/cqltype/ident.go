package cqltype

import "strings"

// reserved are the words that CQL does not accept as a bare identifier. They are the list of
// Cassandra 5.0 (reserved_keywords.txt) and, on the last line, words reserved only in Cassandra 3.x
// and 4.x. Quotes around a word that needs none do no harm.
var reserved = func() map[string]bool {
	const words = `
		add allow alter and apply asc authorize batch begin by columnfamily create delete desc
		describe drop entries execute from full grant if in index infinity insert into is
		keyspace limit materialized modify nan norecursive not null of on or order primary
		rename revoke schema select set table to token truncate unlogged update use using view
		where with
		default mbean mbeans replace unset`
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}()

// QuoteIdent returns name as a CQL identifier. A name of the form [a-z][a-z0-9_]* that is not
// reserved stays bare. Any other name is put in double quotes, with each inner double quote
// doubled.
func QuoteIdent(name string) string {
	if bareIdent(name) && !reserved[name] {
		return name
	}
	return quote(name)
}

// quoteTypeName returns the name of a UDT as a CQL identifier. In addition to QuoteIdent, it quotes
// a name that CQL would read as a native type.
func quoteTypeName(name string) string {
	if _, native := natives[name]; native {
		return quote(name)
	}
	return QuoteIdent(name)
}

func quote(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

func bareIdent(name string) bool {
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	for i := 1; i < len(name); i++ {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}
