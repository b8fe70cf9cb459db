// Package cqlshtext reads the text of values as cqlsh COPY TO writes it and COPY FROM reads it into CQL wire
// bytes: native protocol v4 value bodies, without their length. A text here is the field of a CSV file after the
// CSV itself has been decoded, quotes and escapes and all.
//
// Start with Plan, which gives the Codec of a column's type. Plan once per column; a Codec keeps no state, so
// that one may serve any number of goroutines. It appends to a buffer of the caller's and keeps nothing of what
// it is given. For scalars it allocates nothing. Writing is package cqltext's business; where the forms are the
// same, so is the reading.
//
// # Text
//
// COPY TO writes a backslash in ascii and text as two, and control characters, DEL to NBSP among them, as \n,
// \r, \t or \xNN. COPY FROM does not undo that. Nor does this package, by default: a field is its own value, and
// a table loaded from a file is what COPY FROM makes of the same file. With Options.Unescape the escapes are
// undone, so that text makes the round trip; a backslash that COPY TO cannot have written is then an error.
//
// # What COPY TO writes
//
// All of it is read to the value that was meant, also what COPY FROM cannot read: durations, dates as days,
// years before 1000 without leading zeros, times and other values with colons in maps and user types, None in a
// tuple, the fields field_0_, field_1_ and so on of a user type whose names are no identifiers in Python, a word
// for null with a backslash in it. What COPY TO has lost stays lost: the digits of floats, a null boolean in a
// tuple (False), a zero duration (nothing, like null), zero-length values of types other than text (like null,
// and an error in a list or set), numbers in a collection whose separator is a comma.
//
// # Where COPY FROM is wrong without saying so
//
// What COPY FROM refuses and this package can read is read: blanks around a value, CQL's null in a tuple or
// user type, the empty text in a list<ascii>. What COPY FROM takes for another value differs as follows.
//
//   - boolean: any text but the true word is false there; here it must be the false word.
//   - blob: the first two characters are dropped there unseen; here they must be 0x.
//   - timestamp: about one in a hundred of those with milliseconds is a millisecond off there, because it goes
//     through a float; here none is. Years before 1970 lose what is finer than a millisecond upwards there; here
//     it is always cut towards the past. A T before the time, two blanks or a time without seconds make it
//     midnight there; here the T and the missing seconds are read. The sign of a zone is turned around there
//     unless the text fits the format; here it never is. What follows the timestamp is ignored there, and a day
//     or hour that does not exist runs over into the next; both are errors here. Without a zone it is local time
//     there and UTC here, as COPY TO writes UTC.
//   - time: second 60 is the next minute there and an error here.
//   - float, double: a number too large, such as 1e400, is infinite there and an error here.
//   - user type: a field that the type lacks is ignored there and an error here, and a name in double quotes
//     is not found there and found here. A name in other case is not found there; here bare names are
//     folded to lower case, as in CQL, when there is none as written. The empty text in quotes is null there; here it is
//     the empty text, and only a bare word is null. A field named twice is an error.
//   - a bare value after a colon, in a map or user type, ends at the next colon there; here it goes on.
//   - map: the word for null (unless that is nothing) is an empty value there and an error here.
//   - tuple: elements too many are ignored there and an error here.
//   - list, set: [ ] holds the empty text there when the elements are text; here it is empty.
//   - Empty elements of type blob or boolean, when the word for null is another, are an empty blob and false there
//     and errors here. As a whole field they are null here.
//   - Single quotes and brackets in bare texts that do not match swallow what follows there. Here they are
//     errors, and so is what stands after a closing quote.
//   - int and the like, float, double, decimal: digits other than 0 to 9, and underscores not between digits, are
//     errors here.
//   - inet: numbers with leading zeros, octal there, and addresses of one number are errors here.
//
// The elements of sets and maps keep the order of the text, and stand as often as they do there, as in package
// cqltext; the server sorts them. COPY FROM drops the repeated ones itself.
//
// Sources: the code of cqlsh 6.2.2 (cqlshlib/copyutil.py and formatting.py), run with driver 3.30.1 on Python
// 3.11.
package cqlshtext
