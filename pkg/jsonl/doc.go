// Package jsonl reads JSON Lines: one JSON object to a line, each a record.
//
// It is to such files what package dsv is to delimited ones, and shares dsv's chunks, options, bad lines and errors,
// so that a caller can read either. The input is cut into chunks of whole lines without parsing them, so that chunks
// are parsed in parallel; every record carries its bytes as they stood in the input and their place, so that a
// rejected record can be written out unchanged and named by file, line and column. Values are left as they stand:
// package cqljson reads them.
//
// # Where to start
//
// A [Splitter] cuts an io.Reader into chunks. A [Parser] walks over the records of one [Chunk].
//
// # Rules of the format
//
//   - A record is one line. Lines end with LF; the last one may lack it. A CR before the LF is a blank, as JSON has
//     it. No LF can stand inside a record, since JSON strings hold none unescaped.
//   - A line of nothing but blanks (space, tab, CR) is skipped and counted as a line.
//   - A record is an object and nothing else, blanks around it apart. The whole line must be JSON as package jsonscan
//     has it; each member's name may stand once only. Members of objects further in are not compared.
//   - Names are compared and handed out as text, with their escapes undone. A surrogate alone in a name is an error;
//     in a value it is not looked for.
//   - A UTF-8 byte order mark at the start of a stream is dropped by the Splitter. Offsets count it, columns do not.
//   - A line longer than MaxRecord is bad and goes to [Options].Bad; reading goes on at the next line.
//
// # Ownership and concurrency
//
// A Chunk is backed by the buffer given to [Splitter.Next] and belongs to the caller. Names and values borrow from the
// chunk, names that had escapes from the Parser; they live until the next [Parser.Next] or [Parser.Reset]. A Splitter
// and a Parser are each for one goroutine at a time.
//
// # Cost on hostile input
//
// A Splitter reads 256 KiB or less at a time and holds, besides the caller's buffer, no more than that and ChunkSize
// bytes; the buffer grows to the longest line, up to a read more than MaxRecord. A Parser looks at every byte a fixed
// number of times; names are told apart by a hash with a seed of its own.
//
// Sources: RFC 8259; the conventions at jsonlines.org.
package jsonl
