// Package dsv reads and writes delimited text: CSV according to RFC 4180, with a configurable
// delimiter and quote and an optional escape byte.
//
// It keeps more than encoding/csv does. Every field has a flag for quotes, so that an empty field
// (a null) and "" (an empty text) differ. Every record has its original bytes and its position. A
// rejected record can be copied unchanged and named by file, line and column. A reader can cut the
// input into chunks of complete records without parsing them, and parse the chunks in parallel.
//
// # Where to start
//
//   - A [Splitter] cuts an io.Reader into chunks. [Splitter.Header] first reads the header.
//   - A [Parser] iterates over the records of one [Chunk].
//   - [Format.AppendField] writes a field.
//
// # Rules of the format
//
//   - The delimiter separates fields. LF or CRLF ends a record; the last record may lack its line
//     end. A lone CR is data.
//   - A field that starts with the quote is quoted. It ends at the next single quote; two quotes in
//     a row stand for one. It may contain delimiters, CR and LF, all unchanged.
//   - A delimiter, a line end or the end of the input must follow the closing quote. Anything else
//     is a structural error, and the record then ends at the next LF.
//   - A quote inside an unquoted field is an ordinary byte.
//   - Blank lines are skipped but count as lines. A delimiter at the end of a record starts one
//     more, empty field.
//   - Nothing is trimmed, except with [Format].Trim. NUL and bytes that are not UTF-8 are data.
//   - The Splitter removes a UTF-8 byte order mark at the start of a stream. Offsets count it,
//     columns do not.
//   - If a quote is still open at the end of the input, only the first line of that record is bad.
//     Reading continues on the next line. The same applies to a record longer than
//     [Options].MaxRecord.
//
// Splitter and Parser follow the same rules: Chunk.Records is the number of records that a Parser
// returns for the chunk.
//
// # Variants of the format
//
//   - [Format].Comment marks lines to skip, as if they were blank. Quotes in such a line have no
//     meaning.
//   - [Format].Trailing removes the empty field after the last delimiter of a record.
//   - [Format].Trim removes blanks around fields. They may then stand before an opening quote and
//     after a closing one.
//   - [Format].Rest makes a delimiter of several bytes. It is found from the start of a field on:
//     in a|||b the first two bytes are the delimiter "||", and the third is data.
//   - [Format].EscapeInQuotes gives an escape its meaning only before quotes and escapes inside
//     quotes. Elsewhere it is data, and every LF outside quotes ends a record.
//   - [Format].NewlineEscapes gives three letters behind the escape a meaning: n is LF, r is CR,
//     and t is a tab. Text is then written without line ends in values.
//   - [Format].CR reads lines that end in CR alone.
//
// # Escapes
//
// [Format].Escape adds the rules below. They fit the text that Python's csv module writes with
// escapechar and doublequote=False, as cqlsh's COPY does.
//
//   - The escape and the next byte stand for that byte, inside quotes and outside. An escaped
//     delimiter, quote or escape is data. No letter has a special meaning: \n is n.
//   - An escaped LF is data and does not end a line. In these rules, also for bad lines, a line
//     ends at an LF that is not escaped. Line numbers count every LF. In an escaped CRLF only the
//     CR is escaped, and the LF ends the record.
//   - Two quotes in a row inside a quoted field still stand for one. Python reads the first as the
//     closing quote and the second as data, but writes neither, so all its files are read alike.
//   - An escape as the last byte of the input is a structural error; Python reads it as LF. Inside
//     quotes, the open quote is the error instead.
//   - An escape after a closing quote is a structural error, as any other byte is. The record ends
//     with its line.
//
// In all other cases records are read as Python reads them, with four exceptions. Python reads a
// lone CR outside quotes as a line end or refuses it. It reads text after a closing quote as data,
// and a blank line as a record without fields. It closes a quote that is open at the end of the
// input.
//
// A record of one empty, unquoted field is a blank line, which readers skip. A writer of records
// with one column must quote the empty text (quoteIfEmpty) and write null as a word.
//
// # Ownership and concurrency
//
// A Chunk is stored in the buffer passed to [Splitter.Next] and belongs to the caller. Field texts
// point into the chunk or into the Parser. They are valid until the next [Parser.Next] or
// [Parser.Reset]. A Splitter or Parser belongs to one goroutine at a time. A [Format] is a value
// and safe to share.
//
// # Cost of hostile input
//
// A Splitter holds at most MaxRecord + ChunkSize bytes, plus the old window while it grows.
//
// The number of reads of each byte is bounded, even if many lines are bad. A scan continues past a
// line end only inside quotes. Two scans that are inside quotes at the same line end are in the
// same state, and continue alike. So a failed scan keeps its result, and the scans of the next
// lines join it.
//
// With an escape, the same holds for lines that end at an LF that is not escaped. At an escaped LF
// one scan may be inside quotes and another outside. Whether an LF is escaped depends neither on
// quotes nor on the start of the scan. An LF is escaped if an odd number of escapes precedes it
// directly. All scans therefore find the same line ends. The Splitter cuts bad lines and joins
// scans only there.
//
// # Sources
//
// RFC 4180, and the csv module of Python 3.10 and later for escapes.
package dsv
