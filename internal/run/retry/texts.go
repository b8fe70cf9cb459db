package retry

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/zeebo/xxh3"

	"github.com/cqlbulk/cqlbulk/pkg/dsv"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl"
)

// hashRows returns a hash of the text of each row of a file of rejects.
func (l *Load) hashRows(path string) (texts []uint64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	broken := xxh3.New()
	next, err := l.splitter(f, func(b dsv.Bad) error {
		if b.First {
			broken.Reset()
		}
		_, err := broken.Write(b.Piece)
		if b.Last {
			texts = append(texts, broken.Sum64())
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: header: %w", path, err)
	}
	var buffer []byte
	for {
		c, err := next(buffer[:0])
		if errors.Is(err, io.EOF) {
			return texts, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		buffer = c.Data
		if c.Records > 0 {
			texts = append(texts, xxh3.Hash(c.Data))
		}
	}
}

// splitter returns a function that reads the next record behind the header. Records that cannot be
// read are given to bad.
func (l *Load) splitter(
	r io.Reader,
	bad func(dsv.Bad) error,
) (next func([]byte) (dsv.Chunk, error), err error) {
	options := dsv.Options{MaxRecords: 1, MaxRecord: l.Spec.MaxRecord(), Bad: bad}
	if l.Spec.Format == "json" {
		return jsonl.NewSplitter(r, options).Next, nil
	}
	splitter := dsv.NewSplitter(r, l.Format, options)
	if l.Spec.Header {
		_, err = splitter.Header()
	}
	return splitter.Next, err
}
