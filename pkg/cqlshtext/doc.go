// Package cqlshtext converts the texts that cqlsh's COPY TO writes and COPY FROM reads to CQL
// values. A text is a field of a CSV file after CSV decoding, without quotes and escapes. The value
// is the body of a native protocol v4 value, without its length.
//
// # Where to start
//
// [Plan] returns the [Codec] of a column's type, which reads texts. [PlanWriter] returns the
// [Writer], which writes them. Plan once for each column.
//
// # Text
//
// COPY TO writes a backslash in ascii and text as two. It writes control characters, including DEL
// to NBSP, as \n, \r, \t or \xNN. COPY FROM does not reverse that, and neither does this package by
// default. A field is its own value, and a load gives the same table as COPY FROM. With
// Options.Unescape the escapes are reversed, so that text survives the round trip. A backslash that
// COPY TO cannot have written is then an error.
//
// # What COPY TO writes
//
// The package reads everything that COPY TO writes as the original value. That includes texts that
// COPY FROM cannot read:
//
//   - durations, dates as days, and years before 1000 without leading zeros
//   - times and other values with colons in maps and user types
//   - None in a tuple
//   - the fields field_0_, field_1_ and so on of a user type whose field names are not Python
//     identifiers
//   - a word for null that contains a backslash
//
// COPY TO loses some values for good: digits of floats, a null boolean in a tuple (False) and a
// zero duration (empty, like null). Values of no bytes of types other than text are written like
// null, and are an error in a list or set. Numbers in a collection whose separator is a comma are
// lost too.
//
// # Where a Writer writes other texts than COPY TO
//
// A [Writer] writes the same text as COPY TO, unless COPY FROM reads that as another value or not
// at all:
//
//   - ascii, text: backslashes and control characters are unchanged
//   - whole numbers with a thousands separator: COPY TO rounds those above 2^53
//   - decimal with a separator: COPY TO rounds it to FLOATPRECISION digits
//   - float, double with a thousands separator: COPY TO loses the 1 of a fraction that rounds to 1
//   - numbers inside another type, with a separator that has a meaning there, are in single quotes
//   - timestamp: COPY TO is a millisecond off for some years, and writes years before 1000 without
//     leading zeros; in a format with digits after a point, it takes them for milliseconds
//   - duration of zero: 0s instead of the empty text
//   - null in a tuple: None, where COPY TO writes False, 'None', or stops; elements that a value
//     lacks are left out
//   - user type: the names of fields that are not Python identifiers
//   - vectors of vectors, and maps whose keys are maps: COPY TO stops
//
// Some texts are the same, although COPY FROM does not read the value back. These are floats and
// doubles with fewer digits, values without bytes of other types than text and blob, and what the
// previous section lists first.
//
// # Where COPY FROM is silently wrong
//
// This package reads texts that COPY FROM refuses if they are clear. Examples are blanks around a
// value, CQL's null in a tuple or user type, and the empty text in a list<ascii>. Where COPY FROM
// reads another value, the differences are:
//
//   - boolean: COPY FROM reads any text except the true word as false. Here it must be the false
//     word.
//   - blob: COPY FROM drops the first two characters unchecked. Here they must be 0x.
//   - timestamp with milliseconds: COPY FROM is a millisecond off for about one in a hundred,
//     because it uses a float. Here every value is exact.
//   - timestamp before 1970: COPY FROM rounds fractions of a millisecond up. Here they are always
//     rounded down, towards the past.
//   - timestamp with a T before the time, two blanks or a time without seconds: COPY FROM reads
//     midnight. Here the T and missing seconds are accepted.
//   - timestamp with a zone: COPY FROM inverts the sign of the zone unless the text fits the
//     format. Here it never does. Without a zone, COPY FROM uses local time. Here the time is UTC,
//     as COPY TO writes it.
//   - timestamp with text after it, or with a day or hour that does not exist: COPY FROM ignores
//     the rest, and carries the excess into the next day or month. Here both are errors.
//   - time: COPY FROM reads second 60 as the next minute. Here it is an error.
//   - float, double: COPY FROM reads a number that is too large, such as 1e400, as infinity. Here
//     it is an error.
//   - user type, names of fields: COPY FROM ignores an unknown field; here it is an error. COPY
//     FROM does not find a name in double quotes or in another case. Here both are found: as in
//     CQL, a bare name is folded to lower case if it does not exist as written. A field named twice
//     is an error.
//   - user type, values: COPY FROM reads the empty text in quotes as null. Here only a bare word is
//     null.
//   - a bare value after a colon, in a map or user type: COPY FROM ends it at the next colon. Here
//     it continues.
//   - map: COPY FROM reads the word for null, unless it is empty, as an empty value. Here it is an
//     error.
//   - tuple: COPY FROM ignores surplus elements. Here they are an error. It reads a bare None as
//     the text None. Here it is null.
//   - list, set of texts: COPY FROM reads [ ] as one empty text. Here it is empty.
//   - empty elements of type blob or boolean, if the word for null is not empty: COPY FROM reads an
//     empty blob and false. Here they are errors. As a whole field they are null here.
//   - single quotes and brackets in bare texts that do not match: COPY FROM skips the text after
//     them. Here they are errors, and so is text after a closing quote.
//   - integers, float, double, decimal: digits other than 0 to 9, and underscores that are not
//     between digits, are errors here.
//   - inet: numbers with leading zeros, which COPY FROM reads as octal, and addresses of one number
//     are errors here.
//
// As in package cqltext, the elements of sets and maps keep their order and their duplicates; the
// server sorts them. COPY FROM removes duplicates itself.
//
// # Bytes and concurrency
//
// A Codec and a Writer append to a buffer of the caller and do not retain their arguments. A Codec
// does not allocate for scalars. Both have no state and are safe for concurrent use.
//
// # Sources
//
// The code of cqlsh 6.2.2 (cqlshlib/copyutil.py and formatting.py), run with driver 3.30.1 on
// Python 3.11.
package cqlshtext
