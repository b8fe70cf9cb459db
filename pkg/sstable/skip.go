package sstable

import (
	"errors"
	"io"
)

// NextPartition reads the beginning of the next partition. If d is within a partition, it skips the
// rest by the sizes of the rows, which it neither decodes nor keeps. Errors are those of Next.
func (d *Decoder) NextPartition() error {
	err := d.pass()
	if err == nil {
		d.at = d.end
		_, err = d.partition()
	}
	return d.AtOffset(err)
}

// pass skips to the end of the partition.
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

// discard skips n bytes from the beginning of the item.
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

// errSeeker is the error of SkipTo for a reader that cannot seek.
var errSeeker = errors.New("the reader of a decoder cannot seek")

// SkipTo makes the partition at a position in the plain bytes the next one. The reader that d was
// made with must be an io.Seeker.
func (d *Decoder) SkipTo(position int64) error {
	in, ok := d.in.(io.Seeker)
	if !ok {
		return errSeeker
	}
	d.open, d.err = false, nil
	if position >= d.base && position-d.base <= int64(len(d.buf)) {
		d.at = int(position - d.base)
		d.end = d.at
		return nil
	}
	_, err := in.Seek(position, io.SeekStart)
	d.buf, d.base, d.at, d.end = d.buf[:0], position, 0, 0
	return err
}
