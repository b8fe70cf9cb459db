package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/spread"
)

// FormError is an input that is no text, or text in a form that is not read.
type FormError struct {
	What string // such as "an Excel workbook"
	Do   string // what to do about it
	// Filter is a command that makes text of it; empty: none is known.
	Filter string
	Input  string // its name
}

// Error returns what the input is, and what to do. A [Reader] puts the input's name before it.
func (e *FormError) Error() string { return fmt.Sprintf("this is %s: %s", e.What, e.Do) }

// foreignHead is how many bytes are read to know what an input is: a tar archive's header up to its
// mark.
const foreignHead = 512

// What to do with files of some kinds.
const (
	doSave    = "save it as CSV UTF-8"
	doUnpack  = "unpack it, and load the files in it"
	doWrite   = "write it as CSV or JSON lines first"
	doConvert = "turn it into UTF-8 first"
)

// foreign are beginnings of files that are no text. What has a byte that no text holds in
// its beginning needs no more.
var foreign = []struct {
	head string
	FormError
}{
	{
		"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
		FormError{What: "an old Excel workbook (.xls), or another document of Office", Do: doSave},
	},
	{"7z\xbc\xaf\x27\x1c", FormError{What: "a 7z archive", Do: doUnpack}},
	{"Rar!\x1a\x07", FormError{What: "a rar archive", Do: doUnpack}},
	{"Obj\x01", FormError{What: "an Avro file", Do: doWrite}},
	{"PAR1\x15", FormError{What: "a Parquet file", Do: doWrite}},
	{"ARROW1\x00\x00", FormError{What: "an Arrow file", Do: doWrite}},
	{"SQLite format 3\x00", FormError{What: "an SQLite database", Do: doWrite}},
	{"%PDF-", FormError{What: "a PDF document", Do: doSave}},
	{"\xff\xfe\x00\x00", FormError{What: "UTF-32", Do: doConvert, Filter: iconv("UTF-32")}},
	{"\xff\xfe", FormError{What: "UTF-16", Do: doConvert, Filter: iconv("UTF-16")}},
	{"\xfe\xff", FormError{What: "UTF-16", Do: doConvert, Filter: iconv("UTF-16")}},
}

// iconv returns the filter that makes UTF-8 of an encoding.
func iconv(encoding string) string { return "iconv -f " + encoding + " -t UTF-8" }

// refuse gives a *FormError when a text is none, and takes no byte of it. It waits for no
// more than the first line, which is waited for anyway.
func refuse(in *bufio.Reader) error {
	var head []byte
	var err error // reading meets it again
	for n := 1; err == nil && len(head) < foreignHead && bytes.IndexByte(head, '\n') < 0; {
		head, err = in.Peek(n)
		n = min(max(len(head)+1, in.Buffered()), foreignHead)
	}
	if kind := kindOf(head); kind != nil {
		return kind
	}
	if isZip(head) {
		head, _ = in.Peek(foreignHead)
		return zipKind(head)
	}
	return nil
}

// kindOf returns what begins with these bytes and is not text; nil: it may be text.
func kindOf(head []byte) *FormError {
	for i := range foreign {
		if bytes.HasPrefix(head, []byte(foreign[i].head)) {
			return &foreign[i].FormError
		}
	}
	const tarMark, tarAt = "ustar", 257
	switch {
	case len(head) >= tarAt+len(tarMark) && string(head[tarAt:tarAt+len(tarMark)]) == tarMark:
		return &FormError{What: "a tar archive", Do: doUnpack}
	case len(head) >= 4 && head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
		return &FormError{What: "UTF-16", Do: doConvert, Filter: iconv("UTF-16LE")}
	case len(head) >= 4 && head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		return &FormError{What: "UTF-16", Do: doConvert, Filter: iconv("UTF-16BE")}
	}
	return nil
}

func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) ||
		bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

// zipKind distinguishes documents that are zip archives from other archives, by the names of their
// first files.
func zipKind(head []byte) *FormError {
	names := string(head)
	switch {
	case strings.Contains(names, "opendocument.spreadsheet"):
		return &FormError{What: "an OpenDocument spreadsheet", Do: doSave}
	case strings.Contains(names, "[Content_Types].xml"),
		strings.Contains(names, "xl/"),
		strings.Contains(names, "_rels/"),
		strings.Contains(names, "docProps/"):
		return &FormError{What: "an Excel workbook, or another document of Office", Do: doSave}
	default:
		return &FormError{What: "a zip archive", Do: doUnpack}
	}
}

// Check refuses inputs whose first bytes show that they are not text. It reads only files. A pipe
// is checked when it is read. One error has all that is refused.
func Check(inputs []Input) error {
	var mu sync.Mutex
	failures := map[int]error{}
	spread.Each(len(inputs), func(i int) {
		if !inputs[i].Plain() {
			return
		}
		err := check(inputs[i])
		if form := (*FormError)(nil); errors.As(err, &form) {
			mu.Lock()
			defer mu.Unlock()
			failures[i] = err
		}
	})
	all := make([]error, 0, len(failures))
	for _, i := range slices.Sorted(maps.Keys(failures)) {
		all = append(all, failures[i])
	}
	return errors.Join(all...)
}

// check reads the first byte of an input.
func check(input Input) error {
	r, err := input.Open()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	_, err = r.Read(make([]byte, 1))
	return err
}
