package reject

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// WriteRows writes the rejected rows to w, byte for byte as in the input, without header lines and
// without rows in doubt. Lines that are no record come last, because a quote that is never closed
// would swallow the rows after it. Call WriteRows after Close.
func (d *Dir) WriteRows(w io.Writer) error {
	for _, broken := range []bool{false, true} {
		for _, path := range d.Rejected() {
			if strings.HasPrefix(filepath.Base(path), brokenBase) != broken {
				continue
			}
			if err := d.writeFile(w, path); err != nil {
				return fmt.Errorf("rejects: %w", err)
			}
		}
	}
	return nil
}

// writeFile writes what follows the header of a file of rows.
func (d *Dir) writeFile(w io.Writer, path string) error {
	d.mu.Lock()
	header := d.files[filepath.Base(path)].header
	d.mu.Unlock()
	length, err := writtenLength(header)
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Seek(length, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return err
}

// writtenLength returns the length in bytes of a header in a file of rows.
func writtenLength(header []byte) (int64, error) {
	var text bytes.Buffer
	w := bufio.NewWriter(&text)
	if err := writeRow(w, header, true); err != nil {
		return 0, err
	}
	err := w.Flush()
	return int64(text.Len()), err
}
