package tablefile

import (
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// Decoder decodes the partitions of an SSTable: all, or those within ranges of tokens. It is
// not safe for concurrent use.
type Decoder struct {
	*sstable.Decoder
	path   string     // of Data.db, for errors; empty: errors do not name it
	walk   *rangeWalk // finds the partitions; nil: all are read
	within bool       // a partition has begun and not ended
}

// Next reads the next item, as the Next of sstable.Decoder does. An error names Data.db.
func (d *Decoder) Next() (item sstable.Item, err error) {
	if d.walk != nil && !d.within {
		item, err = sstable.PartitionStart, d.walk.next(d.Decoder)
	} else {
		item, err = d.Decoder.Next()
	}
	if err != nil {
		return 0, d.wrong(d.AtOffset(err))
	}
	d.within = item != sstable.PartitionEnd
	return item, nil
}

// wrong adds the path to an error that has an offset.
func (d *Decoder) wrong(err error) error {
	var at *sstable.OffsetError
	if d.path == "" || errors.As(err, new(*component.Error)) || !errors.As(err, &at) {
		return err
	}
	return &component.Error{
		Path: d.path,
		Err:  fmt.Errorf("at offset %d of its plain bytes: %w", at.Offset, at.Err),
	}
}
