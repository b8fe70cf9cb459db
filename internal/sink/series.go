package sink

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/filesum"
)

// series is one file after another, each with the header, of one writer or of all of them. Outside
// a folder it has one file only, or numbered files: then only the first has the header.
type series struct {
	output *Output
	worker int    // 0: of all of them
	chain  *chain // made with the first file
	err    error  // ends the series

	// The files are finished, but for the last one. Of a finished file no more is kept than a mark
	// has.
	done  []FileMark // only ever appended to, since marks share it
	named []bool     // by index in done, whether a file has its final name; none beyond its end has
	last  *part      // the file that takes text or failed; nil if all files are finished
	open  bool       // last takes text

	changed bool      // since the last mark
	marked  *FileMark // of the open file, in the last mark
}

// files returns the number of files.
func (s *series) files() int {
	if s.last != nil {
		return len(s.done) + 1
	}
	return len(s.done)
}

// nameOf returns the final name of the file with that index.
func (s *series) nameOf(i int) string {
	if i == len(s.done) {
		return s.last.name
	}
	return s.done[i].Name
}

// part returns what is known of the file with that index.
func (s *series) part(i int) part {
	if i == len(s.done) {
		return *s.last
	}
	f := &s.done[i]
	p := part{
		File: File{Name: f.Name, Rows: f.Rows, TextBytes: f.TextBytes, Bytes: f.Bytes, Sum: f.Sum},
	}
	p.place = s.where(i + 1)
	if s.worker != 0 {
		p.place = place{folder: s.output.folder, file: f.Name, name: f.Name}
	}
	p.named = i < len(s.named) && s.named[i]
	return p
}

// setNamed records that a finished file has its final name.
func (s *series) setNamed(i int) {
	if len(s.named) < len(s.done) {
		s.named = append(s.named, make([]bool, len(s.done)-len(s.named))...)
	}
	s.named[i] = true
}

// where is the place of a file of the series.
func (s *series) where(number int) place {
	o := s.output
	if s.worker == 0 {
		at := o.at
		at.file, at.name = numberedName(at.file, number), numberedName(at.name, number)
		return at
	}
	name := o.options.partName(s.worker, number)
	return place{folder: o.folder, file: name, name: name}
}

// Write is described at Writer.
func (s *series) Write(rows int, text []byte) error {
	if s.err != nil {
		return s.err
	}
	if rows == 0 && len(text) == 0 {
		return nil
	}
	if s.output.options.numbered() {
		return s.writeNumbered(int64(rows), text)
	}
	limit := s.output.options.MaxRows
	if limit > 0 && int64(rows) > limit {
		return fmt.Errorf(
			"output %s: %d rows at once do not fit into a file of at most %d",
			s.output.options.Path,
			rows,
			limit,
		)
	}
	if s.open && s.full(rows, len(text)) {
		if err := s.finish(); err != nil {
			return err
		}
	}
	if !s.open {
		if err := s.begin(); err != nil {
			return err
		}
	}
	return s.add(int64(rows), text)
}

// writeNumbered writes rows to numbered files. A file is finished only if there are more rows, so
// that the last one is open until the output is completed.
func (s *series) writeNumbered(rows int64, text []byte) error {
	o := &s.output.options
	for rows > 0 {
		if s.open && s.last.Rows >= o.MaxRows {
			if err := s.finish(); err != nil {
				return err
			}
		}
		if !s.open {
			if err := s.begin(); err != nil {
				return err
			}
		}
		n, length := rows, len(text)
		if room := o.MaxRows - s.last.Rows; n > room {
			n, length = room, o.FirstRows(text, int(room))
		}
		if err := s.add(n, text[:length]); err != nil {
			return err
		}
		rows, text = rows-n, text[length:]
	}
	return nil
}

// add writes rows to the present file.
func (s *series) add(rows int64, text []byte) error {
	p := s.last
	s.changed = true
	if err := s.chain.write(text); err != nil {
		return s.fail(p, err)
	}
	p.Rows += rows
	p.TextBytes += int64(len(text))
	return nil
}

// full reports whether the given rows and bytes belong in the next file.
func (s *series) full(rows, bytes int) bool {
	o, p := &s.output.options, s.last
	if p.Rows == 0 && p.TextBytes == int64(len(o.Header)) {
		return false
	}
	return o.MaxRows > 0 && p.Rows+int64(rows) > o.MaxRows ||
		o.MaxBytes > 0 && p.TextBytes+int64(bytes) > o.MaxBytes
}

// begin creates the next file, and writes its header.
func (s *series) begin() error {
	o := s.output
	number := len(s.done) + 1
	p, header := &part{place: s.where(number)}, o.options.header(number)
	if err := s.makeChain(p); err != nil {
		return err
	}
	t, err := o.begin(p)
	if err != nil {
		return s.fail(p, err)
	}
	s.last, s.open, s.changed = p, true, true
	s.chain.begin(t)
	if len(header) > 0 {
		if err := s.chain.write(header); err != nil {
			return s.fail(p, err)
		}
	}
	p.Name, p.TextBytes = p.name, int64(len(header))
	return nil
}

// makeChain makes the chain, unless there is one; p is the part it is made for.
func (s *series) makeChain(p *part) (err error) {
	if s.chain == nil {
		if s.chain, err = newChain(
			s.output.codec,
			p.isStream(),
			cmp.Or(s.output.options.Sum, filesum.XXH64),
		); err != nil {
			return s.fail(p, err)
		}
	}
	return nil
}

// finish completes and closes the present file.
func (s *series) finish() error {
	p := s.last
	s.open, s.changed = false, true
	if err := s.chain.finish(); err != nil {
		return s.fail(p, err)
	}
	p.Bytes, p.Sum = s.chain.tally.bytes, s.chain.tally.result()
	s.done, s.last = append(s.done, markOf(len(s.done)+1, p.File)), nil
	return nil
}

// complete completes and closes the series, and reports whether that succeeded.
func (s *series) complete() error {
	err := s.err
	if err == nil && s.open {
		err = s.finish()
	}
	s.drop()
	s.err = errEnded
	return err
}

// abandon ends the series as it is. A file gets its end mark, so that everything in it can be read.
// A stream does not, so that its reader can see that it was cut off, if the format has such a mark.
// Earlier failures were reported before.
func (s *series) abandon() error {
	var err error
	if s.open && s.err == nil {
		p := s.last
		end := s.chain.end
		if p.isStream() {
			end = s.chain.flush
		}
		s.open = false
		if err = errors.Join(end(), s.chain.target.Close()); err != nil {
			err = s.fail(p, err)
		}
	}
	s.drop()
	s.err = errEnded
	return err
}

// drop closes the file of a series that has failed already. A second error has no news.
func (s *series) drop() {
	if s.open {
		_ = s.chain.target.Close()
	}
	s.open = false
}

// fail ends the series with an error that names the file.
func (s *series) fail(p *part, err error) error {
	s.err = fmt.Errorf("output %s: %w", p, err)
	return s.err
}
