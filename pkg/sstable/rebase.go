package sstable

// At returns a codec like c with another Minima.Time. If it decodes a row that c encoded, every
// expiry and deletion is later by the difference. So rows can be encoded before the time of their
// writing is known. If a row has columns with and without a deletion, it needs Rebase.
func (c *Codec) At(second int64) *Codec {
	later := *c
	later.minima.Time = second
	return &later
}

// NeedsRebase reports whether an encoded row may have a column without a deletion beside one that
// has one. What stands in its place (liveDeletion) is a fixed second, which the servers of 4.x look
// at.
func NeedsRebase(encoded []byte) bool {
	head, _, err := split(encoded)
	return err == nil && head[0]&hasColumnDeletions != 0
}

// AppendRebased appends a row that another codec encoded as c has it, with every expiry and
// deletion later by the difference of their least times. An expiry later than c's version can store
// becomes the last that it can. room is overwritten.
func (c *Codec) AppendRebased(dst, encoded []byte, from *Codec, room *Row) ([]byte, error) {
	if err := from.DecodeRow(encoded, room); err != nil {
		return dst, err
	}
	later, last := c.minima.Time-from.minima.Time, c.version.MaxExpiry()
	if room.Liveness.TTL != 0 {
		room.Liveness.Expiry = min(room.Liveness.Expiry+later, last)
	}
	if room.Deletion.Set {
		room.Deletion.Time += later
	}
	for i := range room.Deletions {
		if d := &room.Deletions[i].Deletion; d.Set {
			d.Time += later
		} else {
			*d = liveDeletion
		}
	}
	for i := range room.Cells {
		switch cell := &room.Cells[i]; cell.Kind {
		case Expiring:
			cell.Time = min(cell.Time+later, last)
		case Tombstone:
			cell.Time += later
		}
	}
	return c.AppendRow(dst, room)
}
