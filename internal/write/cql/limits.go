package cql

import "github.com/cqlbulk/cqlbulk/internal/write"

// Limits are the bounds of a batch. A batch over several partitions stays below the thresholds at
// which the servers log a warning. A batch within one partition is one mutation, causes no warning,
// and has bounds of its own.
type Limits struct {
	MaxRows        int // rows of any batch
	Partitions     int // partitions of a batch over several
	Bytes          int // size of a batch over several partitions
	PartitionBytes int // size of a batch within one partition
}

// of returns the bounds of the batches of a writer. Rows that must not be written twice have a
// batch for each partition. A server applies the partitions of a batch one after another, and if it
// refuses one, others may have been written.
func (l Limits) of(w Writer) Limits {
	if !w.Idempotent() {
		l.Partitions = 1
	}
	return l
}

// cut finds the end of the batch that starts at from: as many rows as the limits
// allow, at least one.
func (l Limits) cut(rows []*write.Row, from int) int {
	first := rows[from]
	size, partitions, statements := first.MutationSize, 1, first.Statements()
	to := from + 1
	for ; to < len(rows); to++ {
		next := rows[to]
		if next.Replicas != first.Replicas {
			break
		}
		if statements += next.Statements(); statements > l.MaxRows {
			break
		}
		size += next.MutationSize
		if next.Token != rows[to-1].Token {
			partitions++
		}
		if partitions == 1 && size > l.PartitionBytes {
			break
		}
		if partitions > 1 && (partitions > l.Partitions || size > l.Bytes) {
			break
		}
	}
	return to
}
