package reconcile

import "github.com/cqlbulk/cqlbulk/pkg/sstable"

// mergeMarkers merges the marker of a source with all others at its place, and advances behind them
// (RangeTombstoneMarker.Merger). It reports whether the deletion changes there: if not, there is no
// marker. A source may have several at one place, if one range ends where another one starts. As in
// the servers, there is no check that a range that ends is the one that was open.
func (m *Merger) mergeMarkers(s *source) (changed bool, err error) {
	for {
		s.open = sstable.Deletion{}
		if marker := s.from.Marker(); marker.Kind.Starts() {
			s.open = marker.Started
		}
		if err := m.pass(s); err != nil {
			return false, err
		}
		if !m.atLast() {
			break
		}
		s = m.items.pop()
	}
	before := m.deleted
	m.deleted = sstable.Deletion{}
	for _, s := range m.same {
		if s.open.Supersedes(m.deleted) {
			m.deleted = s.open
		}
	}
	if m.deletion.Supersedes(m.deleted) {
		m.deleted = sstable.Deletion{}
	}
	if m.deleted == before {
		return false, nil
	}
	m.marker = sstable.Marker{
		Kind: boundKind(
			m.last.kind < sstable.RowKind,
			before.Set,
			m.deleted.Set,
		),
		Values:  m.last.values,
		Ended:   before,
		Started: m.deleted,
	}
	return true, nil
}

// boundKind is the kind of a marker before or behind the rows that begin with its values, where
// ranges end or start.
func boundKind(before, ends, starts bool) sstable.BoundKind {
	switch {
	case ends && starts && before:
		return sstable.ExclusiveEndInclusiveBgn
	case ends && starts:
		return sstable.InclusiveEndExclusiveBgn
	case ends && before:
		return sstable.ExclusiveEnd
	case ends:
		return sstable.InclusiveEnd
	case before:
		return sstable.InclusiveStart
	default:
		return sstable.ExclusiveStart
	}
}
