// Package copystmt reads cqlsh's COPY statement:
//
//	COPY [keyspace.]table [(column, ...)]
//	     FROM 'file' [, 'file' ...] | FROM STDIN | TO 'file' | TO STDOUT
//	     [WITH option = value [AND option = value ...]] [;]
//
// Start with Parse. It says what a statement is made of, and nothing about what its options mean: their names
// and values are not looked at. The functions keep no state, and nothing of the text is kept but what stands in
// the Statement.
//
// # Text
//
// Keywords and names of options are the same in capitals. A name without quotes is taken in lower case and must
// not be a word that CQL reserves; one in double quotes is taken as it is, a double quote in it doubled. Texts
// stand in single quotes, a single quote in them doubled, or between $$ and $$, and have no other escapes.
// A comment goes from -- or // to the end of the line, or from /* to */.
//
// The value of an option is a text, a word, reserved or not, a whole number or one with decimals, a UUID, a blob,
// a list, set or map of such, or a call of a function. That of a text is what stands between its quotes, that of
// all others is their own text, with the comments in it.
//
// # Where this differs from cqlsh
//
//   - The semicolon may be missing, and nothing but comments may follow it: there is one statement in a text.
//   - Several files may each stand in quotes of their own, after FROM. COPY FROM itself takes one text, in which
//     commas separate the files; such a text is one element of Statement.Files here.
//   - A text between $$ is without them here; cqlsh leaves them in it.
//   - A name of nothing, "", is refused here; there it is that of a table or column that does not exist.
//   - Letters that only fold to those of ASCII, such as the Kelvin sign, are none here.
//   - Lists and the like are nested no more than 100 deep.
//
// An option that is given several times has its last value; Statement.Option finds that one.
//
// Source: the grammar of cqlsh 6.2.2 (cqlshlib/cqlshhandling.py and cql3handling.py), which a test compares with.
package copystmt
