// Package dsv reads and writes delimited text: CSV as RFC 4180 describes it,
// with the delimiter and the quote as parameters, and with an escape byte where
// the text has one.
//
// It differs from encoding/csv in what it keeps. Every field says whether it
// was quoted, so that nothing between delimiters (a null) and "" (an empty
// text) stay apart. Every record carries its bytes as they stood in the input
// and their place, so that a rejected record can be written out unchanged and
// named by file, line and column. And the input can be cut into chunks of
// whole records without parsing them, so that chunks are parsed in parallel.
//
// # Where to start
//
// A [Splitter] cuts an io.Reader into chunks; [Splitter.Header] takes the
// first record off before that. A [Parser] walks over the records of one
// [Chunk]. [Format.AppendField] writes.
//
// # Rules of the format
//
//   - Fields are separated by the delimiter. Records end with LF or CRLF; the
//     last one may lack its line end. A lone CR is data.
//   - A field that starts with the quote is quoted. It runs to the next lone
//     quote; two quotes in a row stand for one. It may hold delimiters, CR and
//     LF, all kept byte for byte. The closing quote must be followed by a
//     delimiter, a line end or the end of the input; anything else is a
//     structural error, and the record then ends at the next LF.
//   - A quote inside an unquoted field is an ordinary byte.
//   - Blank lines, with nothing before their line end, are skipped and counted
//     as lines. A delimiter at the end of a record starts one more, empty
//     field. Nothing is trimmed. NUL is data, and so is a byte sequence that
//     is not UTF-8.
//   - A UTF-8 byte order mark at the start of a stream is dropped by the
//     Splitter. Offsets count it, columns do not.
//   - A record that never ends, because a quote is still open at the end of
//     the input, costs its first line only: that line is bad and reading goes
//     on at the line after it. The same holds for a record longer than
//     [Options].MaxRecord.
//
// Splitter and Parser follow these rules with the same result: a chunk's
// Records is what a Parser yields for it.
//
// # Files that are not quite so
//
// [Format].Comment leaves out lines that begin with a byte, as if they were blank; quotes in them
// open nothing. [Format].Trailing leaves out the empty field behind the last delimiter of a record.
// [Format].CR is for lines that end in CR alone.
//
// # With an escape
//
// [Format].Escape adds these rules, for the text that Python's csv module
// writes with escapechar and doublequote=False, as cqlsh's COPY does:
//
//   - The escape and the byte behind it stand for that byte, whichever it is,
//     in quotes and outside. An escaped delimiter or quote is data, and so is
//     an escaped escape; no letter has a meaning of its own, \n is n.
//   - An escaped LF is data and ends no line: "line" in these rules, for bad
//     lines too, then means what runs to an LF that is not escaped. Line
//     numbers count every LF. It is one byte that is escaped: of a CRLF the CR,
//     and the LF ends the record.
//   - Two quotes in a row inside a quoted field still stand for one. Python
//     takes the first for the closing quote and the second for data, but
//     writes neither, so none of its files is read differently.
//   - An escape that is the last byte of the input is a structural error.
//     Python makes an LF of it. Where a quote is open, that is the error.
//   - After a closing quote an escape is a structural error like any other
//     byte, and the record ends with its line.
//
// Otherwise records are read as Python reads them, but that it takes a lone CR
// outside quotes for a line end, or refuses it, any text after a closing quote
// for data, a blank line for a record without fields, and a quote open at the
// end of the input for closed.
//
// A record of one field that is empty and not quoted is a blank line, which
// readers skip. Who writes records of one column must quote the empty text
// (quoteIfEmpty) and give null a word of its own.
//
// # Ownership and concurrency
//
// A Chunk is backed by the buffer given to [Splitter.Next] and belongs to the
// caller. Field texts borrow from the chunk or from the Parser and live until
// the next [Parser.Next] or [Parser.Reset]. A Splitter and a Parser are each
// for one goroutine at a time; a [Format] is a value and free to share.
//
// # Cost on hostile input
//
// A Splitter holds at most MaxRecord + ChunkSize bytes (for a moment, while
// its window grows, the old window too). Bad lines do not make it rescan what
// follows again and again: a line can be left open only inside quotes, so two
// scans that both stand inside quotes at the same line end are in the same
// state and go on alike. What one failed scan has learned is therefore kept and
// joined by the scans of the lines after it, and every byte is looked at a
// small, fixed number of times.
//
// With an escape the same holds, for its lines. At an LF a scan that goes on is
// inside quotes or, if the LF is escaped, maybe outside; two scans could differ
// there and each go its own way. But whether an LF is escaped does not depend on
// quotes or on where a scan began: it is, when an odd number of escapes stand
// right before it, since nothing but an escape takes the meaning from an escape
// and no line begins between the two. So all scans see the same line ends, and at
// an LF that is not escaped only those inside quotes go on. Bad lines are cut,
// and scans joined, at such LF alone.
package dsv
