// Package copystmt parses cqlsh's COPY statement:
//
//	COPY [keyspace.]table [(column, ...)]
//	     FROM 'file' [, 'file' ...] | FROM STDIN | TO 'file' | TO STDOUT
//	     [WITH option = value [AND option = value ...]] [;]
//
// # Where to start
//
// [Parse] returns a [Statement]. It does not interpret options: their names and values are not
// checked.
//
// # Text
//
// Keywords and names of options are case-insensitive. A name without quotes is folded to lower case
// and must not be a reserved word of CQL. A name in double quotes is kept unchanged; a doubled
// double quote inside stands for one. Texts are in single quotes, where a doubled single quote
// stands for one, or between $$ and $$. There are no other escapes. Comments start with -- or //
// and end with the line, or they are between /* and */.
//
// The value of an option is a text, a word (even a reserved one), a number with or without
// decimals, a UUID or a blob. It may also be a list, set or map of values, or a function call. The
// value of a text is its content without quotes. The value of anything else is its source,
// including comments.
//
// # Differences from cqlsh
//
//   - A text has one statement. The semicolon is optional, and only comments may follow it.
//   - After FROM there may be several files, each in its own quotes. COPY FROM takes one text in
//     which commas separate the files. Such a text is one element of [Statement].Files.
//   - The $$ around a text are removed; cqlsh keeps them.
//   - An empty name, "", is refused. cqlsh reads it as a table or column that does not exist.
//   - Letters that only fold to ASCII letters, such as the Kelvin sign, are not letters.
//   - Values are nested at most 100 levels deep.
//
// If an option is given several times, the last value counts; [Statement.Option] returns it.
//
// # Bytes and concurrency
//
// Parse retains only the parts of the text that are in the Statement. It has no state and is safe
// for concurrent use.
//
// # Sources
//
// The grammar of cqlsh 6.2.2 (cqlshlib/cqlshhandling.py and cql3handling.py). A test compares with
// it.
package copystmt
