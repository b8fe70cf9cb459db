package sink

import (
	"errors"
	"fmt"
)

// maxWorker bounds the worker numbers of a mark, far above what any run has.
const maxWorker = 1 << 30

// check returns what is wrong with a mark of an output with these options. An output that is no
// folder has one file, called name, or numbered files of that name. A mark without an error has
// only names that the output itself would give, each once.
func (m *Mark) check(o *Options, name string) error {
	if m.Compression != o.Compression {
		return fmt.Errorf("it was begun with compression %q, not %q", m.Compression, o.Compression)
	}
	if !o.Dir {
		if len(m.Series) != 1 || m.Series[0].Worker != 0 ||
			len(m.Series[0].all()) != 1 && !o.numbered() {
			return errors.New("the journal does not have exactly one file")
		}
		return m.Series[0].check(o, func(number int) string { return numberedName(name, number) })
	}
	seen := make(map[int]bool, len(m.Series))
	for _, s := range m.Series {
		if s.Worker < 1 || s.Worker > maxWorker || seen[s.Worker] {
			return fmt.Errorf("the journal has a worker %d that cannot be, or has it twice", s.Worker)
		}
		seen[s.Worker] = true
		if err := s.check(
			o,
			func(number int) string { return o.partName(s.Worker, number) },
		); err != nil {
			return err
		}
	}
	return nil
}

// all are the files of the series, in order.
func (s *SeriesMark) all() []FileMark {
	if s.Open == nil {
		return s.Done
	}
	return append(s.Done[:len(s.Done):len(s.Done)], *s.Open)
}

func (s *SeriesMark) check(o *Options, name func(number int) string) error {
	files := s.all()
	if len(files) == 0 {
		return fmt.Errorf("the journal has worker %d without a file", s.Worker)
	}
	for i := range files {
		f := &files[i]
		want := name(i + 1)
		switch {
		case f.Number != i+1:
			return fmt.Errorf(
				"the journal has file %d of worker %d where %d would come",
				f.Number,
				s.Worker,
				i+1,
			)
		case f.Name != want:
			return fmt.Errorf("the journal has a file %q where %q would come", f.Name, want)
		case f.Rows < 0 || f.Bytes < 0 || f.TextBytes < int64(len(o.header(f.Number))):
			return fmt.Errorf(
				"the journal has %d rows, %d bytes of text (header: %d) and %d bytes in %s",
				f.Rows,
				f.TextBytes,
				len(o.header(f.Number)),
				f.Bytes,
				f.Name,
			)
		}
		if s.Open != nil && i == len(files)-1 {
			if _, err := stateSum(f.State); err != nil {
				return fmt.Errorf("the journal has %s: %w", f.Name, err)
			}
			continue
		}
		if err := f.Check(); err != nil {
			return fmt.Errorf("the journal has %s: %w", f.Name, err)
		}
	}
	return nil
}
