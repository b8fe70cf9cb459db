package sstable

import "math"

// pass goes to the end of the partition: its rows are gone over by their sizes, and neither decoded
// nor kept.
func (d *Decoder) pass() error {
	for d.at = d.end; d.open; d.at = d.end {
		flags, _, err := d.flags()
		if err != nil {
			return err
		}
		if flags&endOfPartition != 0 {
			continue
		}
		_, s, err := d.sizes(flags)
		if err != nil {
			return err
		}
		if err := d.discard(s.start + s.size); err != nil {
			return err
		}
	}
	return nil
}

// discard goes over n bytes from the begin of the item.
func (d *Decoder) discard(n int) error {
	for {
		have := len(d.buf) - d.at
		if have >= n {
			d.end = d.at + n
			return nil
		}
		n -= have
		d.at += have
		d.end = d.at
		if err := d.need(1); err != nil {
			return err
		}
	}
}

// jump has the next partition be the one at a place. in is what d reads.
func (d *Decoder) jump(in plainReader, position uint64) {
	d.open, d.err = false, nil
	if base := uint64(d.base); position >= base && position-base <= uint64(len(d.buf)) {
		d.at = int(position - base)
		d.end = d.at
		return
	}
	in.seek(position)
	d.buf, d.base, d.at, d.end = d.buf[:0], int64(min(position, math.MaxInt64)), 0, 0
}
