// Package dsv reads and writes delimited text: CSV as RFC 4180 describes it,
// with the delimiter and the quote as parameters.
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
package dsv
