package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/pkg/cqljson"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// RowsError is an error of a Sender: the node failed the session because of a row. For example it
// cannot index the row.
type RowsError struct {
	Why    string // what the node says
	Advice string // what the user can do about such a row
	Err    error
}

// Error returns the error of the session.
func (e *RowsError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the session.
func (e *RowsError) Unwrap() error { return e.Err }

const (
	// triesForRows is the number of sessions that must fail because of rows before the rows are
	// searched.
	triesForRows = 2
	// mostRefused is the number of rows, at most, that one delivery rejects.
	mostRefused = 100
	// mostUntaken is that number for a node that has taken no part of any file. Then the rows are
	// probably not the reason.
	mostUntaken = 10
)

// refusedRow is a row, or a partition that is not split, that makes a node fail a session.
type refusedRow struct {
	key    []byte
	whole  bool // it is all of the partition, which has deletions
	among  bool // the partition has other rows
	static bool
	row    sstable.Row // the other parts of the row; its bytes are its own
}

// is reports whether r is that row of a partition.
func (r *refusedRow) is(key []byte, row *sstable.Row) bool {
	return bytes.Equal(r.key, key) && r.static == row.Static &&
		sameClustering(r.row.Clustering, row.Clustering)
}

func sameClustering(a, b [][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) || (a[i] == nil) != (b[i] == nil) {
			return false
		}
	}
	return true
}

// part is a part of a file: some partitions, or some rows of one of them.
type part struct {
	from, to         int64 // partitions, by their order
	rowFrom, rowUpTo int64 // rows of each partition
}

// everyRow is a part's rowUpTo that leaves out no row.
const everyRow = math.MaxInt64

// seeker finds the rows of a file that a node does not take. It sends halves of the file, and
// halves of a half that fails. A half that the node takes stays there, because its rows have
// timestamps.
type seeker struct {
	d     *delivery
	node  string
	file  File
	cause *RowsError // the last one
	found int        // rows
}

// seek finds the rows of a file that a node does not take, and sends all others. A delivery seeks
// for one node at a time. So the next node of the file is not sent a row that was found.
func (d *delivery) seek(ctx context.Context, node string, f File, cause *RowsError) error {
	if err := takeToken(ctx, d.seeking); err != nil {
		return err
	}
	defer func() { d.seeking <- struct{}{} }()
	s := &seeker{d: d, node: node, file: f, cause: cause}
	_, err := s.search(ctx, part{0, f.Keys, 0, everyRow}, len(d.refused) == 0)
	return err
}

// search finds rows in a part of the file, and reports whether there were any. known means that
// there are some.
func (s *seeker) search(ctx context.Context, p part, known bool) (found bool, err error) {
	first, second, ok, err := s.halve(p)
	if err != nil {
		return false, err
	}
	if !ok {
		return s.last(ctx, p)
	}
	if !known {
		if taken, err := s.send(ctx, p, 1); taken || err != nil {
			return false, err
		}
	}
	found, err = s.search(ctx, first, false)
	if err != nil {
		return false, err
	}
	more, err := s.search(ctx, second, !found)
	return found || more, err
}

// halve halves a part: its partitions, or the rows of the only one. ok is false if it is not split.
func (s *seeker) halve(p part) (first, second part, ok bool, err error) {
	first, second = p, p
	if p.to-p.from > 1 {
		first.to = p.from + (p.to-p.from)/2
		second.from = first.to
		return first, second, true, nil
	}
	if p.rowUpTo == everyRow {
		if p.rowUpTo, err = s.countRows(p.from); err != nil {
			return first, second, false, err
		}
	}
	first.rowUpTo = p.rowFrom + (p.rowUpTo-p.rowFrom)/2
	second.rowFrom, second.rowUpTo = first.rowUpTo, p.rowUpTo
	return first, second, p.rowUpTo-p.rowFrom > 1, nil
}

// last sends a part that is not split. If the node does not take it, its row is refused.
func (s *seeker) last(ctx context.Context, p part) (found bool, err error) {
	if taken, err := s.send(ctx, p, triesForRows); taken || err != nil {
		return false, err
	}
	refused, err := s.read(p)
	if err != nil {
		return false, err
	}
	if err := s.refuse(ctx, refused); err != nil {
		return false, err
	}
	s.d.refused = append(s.d.refused, refused)
	s.found++
	return true, nil
}

// refuse rejects a row, or returns the error that names it. To build an index of its own format, a
// node reads all rows of the partition. These include rows that it kept of a failed session
// (SecondaryIndexManager.indexPartition). Then all rows of the partition fail, and the one to blame
// is not known.
func (s *seeker) refuse(ctx context.Context, r *refusedRow) error {
	t := s.d.t
	others, more := "", ""
	if r.among {
		others = ", or another row of its partition"
	}
	if n := len(s.d.refused); n == mostRefused || s.found == mostUntaken && !t.node(s.node).took() {
		more = fmt.Sprintf(", nor %d rows before it", n)
	} else if t.reject != nil {
		reason := fmt.Errorf(
			"%s does not take it%s: %s; the table may have it or a part of it, on another replica or without an entry in an index",
			t.o.NodeName(s.node),
			others,
			s.cause.Why,
		)
		rejected, err := t.reject(ctx, r, reason)
		lost := (*lostError)(nil)
		switch {
		case rejected || err != nil && !errors.As(err, &lost):
			return err
		case lost != nil && ctx.Err() != nil:
			return context.Cause(ctx)
		case lost != nil:
			more = fmt.Sprintf(" (%v)", lost)
		}
	}
	return fault.New(
		fault.Permanent,
		fmt.Errorf("%s does not take %s of %s%s%s, and would not the next time (%s): %w",
			t.o.NodeName(s.node), t.describe(r), t.o.Table, others, more, s.cause.Advice, s.cause),
	)
}

// send sends a part of the file, without rows that were found. It reports whether the node took it.
func (s *seeker) send(ctx context.Context, p part, tries int) (taken bool, err error) {
	f, done, err := s.cut(p)
	defer done()
	if err != nil {
		return false, fmt.Errorf("part of a file: %w", err)
	}
	if f.Keys == 0 {
		return true, nil
	}
	err = s.d.sendWithRetry(ctx, s.node, f, tries)
	if rows := (*RowsError)(nil); errors.As(err, &rows) {
		s.cause = rows
		return false, nil
	}
	return err == nil, err
}

// cut makes a file of a part. The caller calls done.
func (s *seeker) cut(p part) (f File, done func(), err error) {
	c, to := s.d.t, &spool{dir: s.d.t.o.Dir, size: math.MaxInt64}
	f = File{Header: s.file.Header}
	file, err := to.next()
	if err != nil {
		return f, to.discard, err
	}
	w, err := sstable.NewPartitionWriter(s.d.codec, spoolWriter{file}, nil)
	if err == nil {
		f.Keys, err = s.copy(p, w)
	}
	if err == nil {
		err = errors.Join(w.Flush(), file.flush())
	}
	f.Bytes = file.size
	f.Open = func() io.Reader { return io.NewSectionReader(file.file, 0, file.size) }
	if s.file.Whole == nil || f.Keys == 0 || err != nil {
		return f, to.discard, err
	}
	defer to.discard()
	if f.Whole, err = c.makeWhole(
		s.d.codec,
		f.Open(),
		f,
		[]string{s.node},
		s.d.made.Add(1),
	); err != nil {
		return f, func() {}, err
	}
	f.Bytes, f.Open = f.Whole.DataLength, nil
	return f, f.Whole.remove, nil
}

// each calls do for each item of the file until do returns an error. It returns that error, or one
// of reading, but not io.EOF.
func (s *seeker) each(do func(sstable.Item, sstable.Source) error) error {
	var d sstable.Source
	if s.file.Open != nil {
		d = sstable.NewDecoder(
			s.d.codec,
			io.LimitReader(s.file.Open(), s.file.Bytes),
			sstable.MaxRowBytes,
		)
	} else {
		table, err := tablefile.Open(tablefile.Folder(s.file.Whole.folder, s.file.Whole.Descriptor))
		if err != nil {
			return err
		}
		defer func() { _ = table.Close() }() // it was only read
		if d, err = table.Within([]token.Range{token.Whole(token.Murmur3)}); err != nil {
			return err
		}
	}
	for {
		item, err := d.Next()
		if err == nil {
			err = do(item, d)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// copy writes a part of the file to a sink, without rows that were found. It returns the number of
// partitions.
func (s *seeker) copy(p part, to sstable.Sink) (keys int64, err error) {
	at, row, begun := int64(-1), int64(0), false
	var encoded []byte
	begin := func(d sstable.Source) error {
		if begun {
			return nil
		}
		begun = true
		keys++
		return to.Begin(d.Key(), d.Deletion())
	}
	err = s.each(func(item sstable.Item, d sstable.Source) error {
		if item == sstable.PartitionStart {
			at, row, begun = at+1, 0, false
		}
		switch {
		case at >= p.to:
			return io.EOF
		case at < p.from:
			return nil
		}
		switch item {
		case sstable.PartitionStart:
			if d.Deletion().Set {
				return begin(d)
			}
		case sstable.RangeMarker:
			if err := begin(d); err != nil {
				return err
			}
			return to.Marker(d.Marker())
		case sstable.StaticRow, sstable.RegularRow:
			r := d.Row()
			if r.Empty() {
				return nil
			}
			if row++; row <= p.rowFrom || row > p.rowUpTo || s.isRefused(d.Key(), r) {
				return nil
			}
			if err := begin(d); err != nil {
				return err
			}
			var err error
			if encoded, err = s.d.codec.AppendRow(encoded[:0], r); err != nil {
				return err
			}
			if r.Static {
				return to.Static(encoded)
			}
			return to.Row(encoded)
		case sstable.PartitionEnd:
			if begun {
				return to.End()
			}
		}
		return nil
	})
	return keys, err
}

func (s *seeker) isRefused(key []byte, row *sstable.Row) bool {
	for _, r := range s.d.refused {
		if r.is(key, row) {
			return true
		}
	}
	return false
}

// countRows returns the number of rows of a partition. It returns 0 for a partition with deletions,
// which is not split.
func (s *seeker) countRows(partition int64) (rows int64, err error) {
	at, whole := int64(-1), false
	err = s.each(func(item sstable.Item, d sstable.Source) error {
		if item == sstable.PartitionStart {
			at++
		}
		switch {
		case at > partition:
			return io.EOF
		case at < partition:
		case item == sstable.RangeMarker, item == sstable.PartitionStart && d.Deletion().Set:
			whole = true
		case (item == sstable.StaticRow || item == sstable.RegularRow) && !d.Row().Empty():
			rows++
		}
		return nil
	})
	if whole {
		rows = 0
	}
	return rows, err
}

// read returns the content of a part that is not split.
func (s *seeker) read(p part) (*refusedRow, error) {
	out := &refusedRow{whole: true}
	if p.rowUpTo != everyRow {
		out.whole, out.among = false, true
	} else if rows, err := s.countRows(p.from); err != nil {
		return nil, err
	} else if rows == 1 {
		out.whole = false
	}
	at, row := int64(-1), int64(0)
	err := s.each(func(item sstable.Item, d sstable.Source) error {
		if item == sstable.PartitionStart {
			at++
		}
		switch {
		case at < p.from:
			return nil
		case at > p.from:
			return io.EOF
		}
		out.key = bytes.Clone(d.Key())
		switch {
		case out.whole:
			out.row.Deletion = d.Deletion()
			return io.EOF
		case (item == sstable.StaticRow || item == sstable.RegularRow) && !d.Row().Empty():
			if row++; row > p.rowFrom {
				out.keep(d.Row())
				return io.EOF
			}
		}
		return nil
	})
	return out, err
}

// keep copies what a refusedRow needs of a row.
func (r *refusedRow) keep(row *sstable.Row) {
	r.static, r.row.Liveness, r.row.Deletion = row.Static, row.Liveness, row.Deletion
	for _, value := range row.Clustering {
		r.row.Clustering = append(r.row.Clustering, bytes.Clone(value))
	}
	for _, c := range row.Cells {
		r.row.Cells = append(r.row.Cells, sstable.Cell{Timestamp: c.Timestamp})
	}
}

// spoolWriter writes to a spool.
type spoolWriter struct{ *spoolFile }

// Write is a method of io.Writer.
func (w spoolWriter) Write(b []byte) (int, error) {
	if err := w.write(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// shownOfRow is the number of bytes of a row's key that an error has.
const shownOfRow = 300

// describe names a row by its primary key, as JSON.
func (c *shipper) describe(r *refusedRow) string {
	table := c.schema.Table()
	key := [][]byte{r.key}
	if len(table.Key) > 1 {
		key, _ = token.SplitKey(r.key) // the key is from a valid file, so it can be split
	}
	text, what := []byte{'{'}, "the row"
	add := func(column sstable.Column, value []byte) {
		if len(text) > 1 {
			text = append(text, ", "...)
		}
		text = append(cqljson.AppendString(text, []byte(column.Name)), ": "...)
		mark := len(text)
		if e, err := cqljson.Plan(column.Type); err == nil && value != nil {
			if text, err = e.AppendJSON(text, value); err == nil {
				return
			}
		}
		text = fmt.Appendf(text[:mark], `"0x%x"`, value)
	}
	for i := range min(len(key), len(table.Key)) {
		add(table.Key[i], key[i])
	}
	switch {
	case r.whole:
		what = "the partition"
	case r.static:
		what = "the static columns of the partition"
	}
	for i := range r.row.Clustering {
		add(table.Clustering[i], r.row.Clustering[i])
	}
	text = append(text, '}')
	if len(text) > shownOfRow {
		text = append(text[:shownOfRow], "..."...)
	}
	return what + " " + string(text)
}
