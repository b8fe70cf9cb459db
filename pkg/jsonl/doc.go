// Package jsonl reads JSON Lines: each line is a record, a JSON object. It also reads one array of
// objects, whose elements are the records.
//
// It is the counterpart of package dsv and shares dsv's chunks, options, bad lines and errors, so
// that a caller can read either format. A reader can cut the input into chunks of complete records
// without parsing them, and parse the chunks in parallel. Every record has its original bytes and
// its position. A rejected record can be copied unchanged and named by file, line and column. The
// package does not decode values; package cqljson does.
//
// # Where to start
//
//   - A [Splitter] cuts an io.Reader into chunks. [NewLineSplitter] does not look for an array.
//   - A [Parser] iterates over the records of one [Chunk].
//
// # Rules of the format
//
//   - A record is one line. LF ends a line; the last one may lack it. A CR before the LF is a
//     blank, as in JSON. A record never contains LF, because JSON strings escape it.
//   - A line of blanks (space, tab, CR) is skipped but counts as a line.
//   - A record is an object, with optional blanks around it. The whole line must be JSON according
//     to package jsonscan. No two members may have the same name; members of inner objects are not
//     compared.
//   - Names are compared and returned without escapes. A lone surrogate in a name is an error;
//     values are not checked for it.
//   - The Splitter removes a UTF-8 byte order mark at the start of a stream. Offsets count it,
//     columns do not.
//   - A line longer than MaxRecord is bad and goes to [Options].Bad. Reading continues on the next
//     line.
//
// # Rules of an array
//
//   - An input whose first byte is '[' is an array. A byte order mark before it does not count, nor
//     do blanks, up to the size of a read.
//   - A record is an element. It may span lines, and blanks may be around it. A chunk ends behind
//     the comma or bracket after an element, and has the column where it begins.
//   - An element that is no object, is missing between commas, or is followed by anything but a
//     comma or the bracket is a record with an error. Brackets that do not match make one faulty
//     record of all elements up to the next place where they do.
//   - An element longer than MaxRecord, an array that is not closed, and text after the array are
//     bad. Reading cannot begin in the middle of an array.
//
// # Ownership and concurrency
//
// A Chunk is stored in the buffer passed to [Splitter.Next] and belongs to the caller. Names and
// values point into the chunk; names that had escapes point into the Parser. They are valid until
// the next [Parser.Next] or [Parser.Reset]. A Splitter or Parser belongs to one goroutine at a
// time.
//
// # Cost of hostile input
//
// A Splitter reads at most 256 KiB at a time. Besides the caller's buffer, it holds at most that
// plus ChunkSize bytes. The buffer grows to the longest line, at most MaxRecord plus one read. A
// Parser reads every byte a bounded number of times. It compares names by a hash with a random
// seed.
//
// # Sources
//
// RFC 8259 and the conventions at jsonlines.org.
package jsonl
