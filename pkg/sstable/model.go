package sstable

import "math"

// noTimestamp is what stands in a file for the timestamp of what there is not
// (LivenessInfo.NO_TIMESTAMP, and DeletionTime.LIVE).
const noTimestamp = math.MinInt64

// Liveness says that a row exists, whatever cells it has: what an INSERT leaves besides them. The
// zero Liveness is that of a row that exists by its cells alone.
type Liveness struct {
	Set       bool
	Timestamp int64 // microseconds since the epoch
	TTL       int32 // seconds; 0: it does not expire
	Expiry    int64 // seconds since the epoch; 0 without a TTL
}

// Deletion says that what was written up to a timestamp is deleted. The zero Deletion is none.
type Deletion struct {
	Set       bool
	Timestamp int64 // microseconds since the epoch: what has this one or an earlier one is deleted
	// Time is when that was done, in seconds since the epoch. Of a ColumnDeletion that is not set
	// it is what stands in its place, for which versions of the servers write different numbers.
	Time int64
}

// Deletes reports whether what was written at a timestamp is deleted.
func (d Deletion) Deletes(timestamp int64) bool { return d.Set && timestamp <= d.Timestamp }

// Supersedes reports whether d deletes all that e does, and more, or later.
func (d Deletion) Supersedes(e Deletion) bool {
	switch {
	case !d.Set || !e.Set:
		return d.Set
	case d.Timestamp != e.Timestamp:
		return d.Timestamp > e.Timestamp
	default:
		return d.Time > e.Time
	}
}

// CellKind is the kind of a cell.
type CellKind uint8

const (
	// Live is a cell with a value that does not expire.
	Live CellKind = iota
	// Expiring is a cell with a value and a time to live, be it over or not.
	Expiring
	// Tombstone is a cell that was deleted.
	Tombstone
)

// Cell is one value of a row: of a column, or of an element of a column that is not frozen.
type Cell struct {
	// its place among the columns of the Schema: the static ones in a static row, else the regular
	// ones
	Column    int
	Kind      CellKind
	TTL       int32 // seconds, of an expiring cell
	Timestamp int64 // microseconds since the epoch
	Time      int64 // when it expires or was deleted, in seconds since the epoch
	// Path identifies an element of a column that is not frozen. In a list, it is a timeuuid; in a
	// set, the element; in a map, the key. In a user type, it is the number of the field, in two
	// bytes. In other columns, it is not read.
	Path []byte
	// Value is in the CQL wire format; of an element of a list or of a map, or of a field, the
	// element's own bytes. It is empty in a set and in a tombstone.
	Value []byte
}

// ColumnDeletion is the deletion of the elements of a column that is not frozen, older than its
// cells.
type ColumnDeletion struct {
	Column int // as in Cell
	Deletion
}

// Row is a row of a partition, or its static row.
type Row struct {
	Static bool
	// Clustering has a value for each clustering column, in the CQL wire format. nil is null, which
	// only tables made before CQL have. An empty slice is an empty value. A static row has none.
	Clustering [][]byte
	Liveness   Liveness
	Deletion   Deletion
	// Deletions are ordered by column.
	Deletions []ColumnDeletion
	// Cells are ordered by column and, within one that is not frozen, by path
	// (Schema.ComparePaths).
	Cells []Cell
}

// Reset empties the row, and keeps its slices for the next one.
func (r *Row) Reset() {
	// Field by field: nothing is copied, and no pointer is written that the garbage collector wants
	// to know of.
	r.Static, r.Liveness, r.Deletion = false, Liveness{}, Deletion{}
	r.Clustering, r.Deletions, r.Cells = r.Clustering[:0], r.Deletions[:0], r.Cells[:0]
}

// addCell appends an empty cell, to be filled in its place: one that is copied there takes as long
// as the rest of it.
func (r *Row) addCell() *Cell {
	n := len(r.Cells)
	if n == cap(r.Cells) {
		r.Cells = append(r.Cells, Cell{})
		return &r.Cells[n]
	}
	r.Cells = r.Cells[:n+1]
	cell := &r.Cells[n]
	*cell = Cell{}
	return cell
}

// Empty reports whether the row says nothing. Such a row must not be written, but for a static one.
func (r *Row) Empty() bool {
	return !r.Liveness.Set && !r.Deletion.Set && len(r.Deletions) == 0 && len(r.Cells) == 0
}

// BoundKind says where the bound of a range of rows is, and whether a range begins or ends there:
// the numbers in the files (ClusteringPrefix.Kind).
type BoundKind uint8

// The kinds of bounds. A boundary is the end of one range and the start of the next.
const (
	ExclusiveEnd             BoundKind = 0
	InclusiveStart           BoundKind = 1
	ExclusiveEndInclusiveBgn BoundKind = 2
	clusteringKind           BoundKind = 4 // of a row, in an index
	InclusiveEndExclusiveBgn BoundKind = 5
	InclusiveEnd             BoundKind = 6
	ExclusiveStart           BoundKind = 7
)

// valid reports whether k is one of the kinds that a marker may have.
func (k BoundKind) valid() bool { return k <= ExclusiveStart && k != 3 && k != clusteringKind }

// Boundary reports whether one range ends and another one starts at the bound.
func (k BoundKind) Boundary() bool {
	return k == ExclusiveEndInclusiveBgn || k == InclusiveEndExclusiveBgn
}

// Ends reports whether a range ends at the bound.
func (k BoundKind) Ends() bool { return k == ExclusiveEnd || k == InclusiveEnd || k.Boundary() }

// Starts reports whether a range starts at the bound.
func (k BoundKind) Starts() bool {
	return k == InclusiveStart || k == ExclusiveStart || k.Boundary()
}

// Marker is where a range of deleted rows begins or ends.
type Marker struct {
	Kind BoundKind
	// Values are those of the first clustering columns, as in Row.Clustering.
	Values [][]byte
	// Ended is the deletion of the range that ends here, Started of the one that starts here.
	Ended, Started Deletion
}
