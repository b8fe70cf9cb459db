package cqltype

import "strings"

// reserved holds the words that CQL does not take as a bare identifier: the list of Cassandra 5.0
// (reserved_keywords.txt) and, on the last line, words that only Cassandra 3.x and 4.x reserve. Quoting a
// word that needs no quotes is harmless.
var reserved = func() map[string]bool {
	const words = `
		add allow alter and apply asc authorize batch begin by columnfamily create delete desc describe drop
		entries execute from full grant if in index infinity insert into is keyspace limit materialized modify
		nan norecursive not null of on or order primary rename revoke schema select set table to token truncate
		unlogged update use using view where with
		default mbean mbeans replace unset`
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}()

// QuoteIdent returns name as a CQL identifier: bare when it is of the form [a-z][a-z0-9_]* and not reserved,
// else in double quotes, with every double quote inside doubled.
func QuoteIdent(name string) string {
	if bareIdent(name) && !reserved[name] {
		return name
	}
	return quote(name)
}

// quoteTypeName is QuoteIdent for the name of a UDT, which is quoted as well when it would be read as one of
// the native types.
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
