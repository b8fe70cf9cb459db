package retry

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/zeebo/xxh3"

	"github.com/cqlbulk/cqlbulk/internal/format"
)

// hashRows returns a hash of the text of each row of a file of rejects.
func (l *Load) hashRows(path string) (texts []uint64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	broken := xxh3.New()
	form := format.Of(l.Spec.Format, l.Format).Rejected()
	splitter := form.Split(f, format.SplitOptions{
		MaxRecords: 1,
		MaxRecord:  l.Spec.MaxRecord(),
		Bad: func(b format.Bad) error {
			if b.First {
				broken.Reset()
			}
			_, err := broken.Write(b.Piece)
			if b.Last {
				texts = append(texts, broken.Sum64())
			}
			return err
		},
	})
	if l.Spec.Header && !form.Named() {
		if _, err := splitter.Header(); err != nil {
			return nil, fmt.Errorf("%s: header: %w", path, err)
		}
	}
	var buffer []byte
	for {
		c, err := splitter.Next(buffer[:0])
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
