package stream

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// refusals are rows of the input that are not sent because a node did not take them. The map has
// their timestamps, which no other row has, by partition key.
type refusals map[string]map[int64]bool

// add adds a row, and reports whether it was not there.
func (r refusals) add(key []byte, stamp int64) bool {
	stamps := r[string(key)]
	if stamps == nil {
		stamps = make(map[int64]bool)
		r[string(key)] = stamps
	}
	added := !stamps[stamp]
	stamps[stamp] = true
	return added
}

// count returns the number of rows.
func (r refusals) count() (n int) {
	for _, stamps := range r {
		n += len(stamps)
	}
	return n
}

// clone returns a copy; nil if there are none.
func (r refusals) clone() refusals {
	if len(r) == 0 {
		return nil
	}
	c := make(refusals, len(r))
	for key, stamps := range r {
		c[key] = maps.Clone(stamps)
	}
	return c
}

// has reports whether a record is of one of the rows. It overwrites room.
func (r refusals) has(record []byte, codec *sstable.Codec, room *sstable.Row) (bool, error) {
	key, _, encoded := splitRecord(record)
	stamps := r[string(key)]
	if stamps == nil {
		return false, nil
	}
	if err := codec.DecodeRow(encoded, room); err != nil {
		return false, err
	}
	return slices.ContainsFunc(stampsOf(room), func(stamp int64) bool { return stamps[stamp] }), nil
}

// stampsOf lists the timestamps that a row was written with, the least first. Deletions of
// collections have the timestamp a microsecond before their row's, and are not counted.
func stampsOf(r *sstable.Row) []int64 {
	var stamps []int64
	if r.Liveness.Set {
		stamps = append(stamps, r.Liveness.Timestamp)
	}
	if r.Deletion.Set {
		stamps = append(stamps, r.Deletion.Timestamp)
	}
	for i := range r.Cells {
		stamps = append(stamps, r.Cells[i].Timestamp)
	}
	slices.Sort(stamps)
	return slices.Compact(stamps)
}

// mostRounds is the number of times, at most, that partitions are sent again without rows that
// nodes did not take.
const mostRounds = 8

// deliverGood sends the rows of the slice to where they belong. If nodes did not take some, it
// sends the partitions of these once more without them. An earlier row of the same key, which a
// refused one had replaced, was not sent before.
func (t *Target) deliverGood(ctx context.Context) error {
	for rounds := 0; ; rounds++ {
		some := rounds > 0
		err := t.deliverTo(ctx, func(ctx context.Context) error {
			t.batch.some, some = some, false // after a change of the ring everything is sent again
			return t.deliver(ctx)
		})
		switch {
		case err != nil || t.batch.refused.count() == t.batch.leftOut.count():
			return err
		case !slices.ContainsFunc(t.batch.pending, func(s pendingPiece) bool { return s.rows > 0 }):
			return nil
		case rounds == mostRounds:
			return fault.New(
				fault.Permanent,
				fmt.Errorf(
					"nodes did not take some rows, and others again after these were rejected, %d times",
					rounds+1,
				),
			)
		}
	}
}

// mostStamps is the number of rows of the input, at most, that are read again and rejected for one
// row of the table. All of them are in memory at once.
const mostStamps = 100

// lostError is the reason why a row of the input cannot be read again.
type lostError struct{ error }

// foundRow is a row of the input.
type foundRow struct {
	*write.Row
	of *pendingPiece
}

// rejectRefused rejects the rows of the input that made a row which a node does not take. Unless it
// finds all of them, it rejects none and returns false.
func (t *Target) rejectRefused(ctx context.Context, r *refusedRow, reason error) (bool, error) {
	stamps := stampsOf(&r.row)
	if len(stamps) > mostStamps {
		return false, &lostError{fmt.Errorf("made by %d rows of the input", len(stamps))}
	}
	var found []foundRow
	for _, stamp := range stamps {
		row, err := t.find(ctx, r, stamp)
		if err != nil || row.Row == nil {
			return false, err
		}
		found = append(found, row)
	}
	if t.batch.refused == nil {
		t.batch.refused = make(refusals)
	}
	for i, row := range found {
		if !t.batch.refused.add(r.key, stamps[i]) { // rejected before, with its static columns
			continue
		}
		row.of.rows--
		row.of.sum = row.of.sum.Sub(row.Sum)
		if err := row.of.piece.Reject(row.Row, write.Refused, reason); err != nil {
			return false, err
		}
	}
	return len(found) > 0, nil
}

// find reads a row of the input again, by its timestamp.
func (t *Target) find(ctx context.Context, r *refusedRow, stamp int64) (foundRow, error) {
	for i := range t.batch.pending {
		s := &t.batch.pending[i]
		row, err := s.piece.Find(ctx, stamp)
		if err != nil {
			return foundRow{}, &lostError{fmt.Errorf("its line is not known: %w", err)}
		}
		if row == nil {
			continue
		}
		same, err := s.intake.makes(row, r)
		if same || err != nil {
			return foundRow{row, s}, err
		}
	}
	return foundRow{}, nil
}

// makes reports whether a row of the input makes r, or a part of it.
func (in *intake) makes(row *write.Row, r *refusedRow) (bool, error) {
	if len(row.Cells) != len(in.names) {
		return false, nil
	}
	e, err := in.take()
	if err != nil {
		return false, err
	}
	defer in.give(e)
	e.values, e.statements = e.values[:0], e.statements[:0]
	e.statement(&row.Row, row.Place)
	key, err := e.inserter.AppendKey(e.key[:0], e.statements[0].Values)
	if err != nil || !bytes.Equal(key, r.key) {
		return false, err
	}
	_, made, err := e.inserter.Insert(e.statements...)
	if err != nil {
		return false, err
	}
	return r.static || in.t.deletesPartitions() ||
		made != nil && sameClustering(made.Clustering, r.row.Clustering), nil
}
