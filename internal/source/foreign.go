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
}

// Error tells what the input is, and what to do; which input it is, a [Reader] says before it.
func (e *FormError) Error() string { return fmt.Sprintf("this is %s: %s", e.What, e.Do) }

// foreignHead is how many bytes are looked at to know what an input is: those of the
// header of a tar archive up to its mark.
const foreignHead = 512

// What to do with files of some kinds.
const (
	doSave    = "save it as CSV UTF-8"
	doUnpack  = "unpack it, and load the files in it"
	doWrite   = "write it as CSV or JSON lines first"
	doConvert = "turn it into UTF-8 first: iconv -f %s -t UTF-8 FILE | cqlbulk load TABLE -"
)

// foreign are beginnings of files that are no text. What has a byte that no text holds in
// its beginning needs no more.
var foreign = []struct {
	head string
	FormError
}{
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", FormError{"an old Excel workbook (.xls), or another document of Office", doSave}},
	{"7z\xbc\xaf\x27\x1c", FormError{"a 7z archive", doUnpack}},
	{"Rar!\x1a\x07", FormError{"a rar archive", doUnpack}},
	{"Obj\x01", FormError{"an Avro file", doWrite}},
	{"PAR1\x15", FormError{"a Parquet file", doWrite}},
	{"ARROW1\x00\x00", FormError{"an Arrow file", doWrite}},
	{"SQLite format 3\x00", FormError{"an SQLite database", doWrite}},
	{"%PDF-", FormError{"a PDF document", doSave}},
	{"\xff\xfe\x00\x00", FormError{"UTF-32", fmt.Sprintf(doConvert, "UTF-32")}},
	{"\xff\xfe", FormError{"UTF-16", fmt.Sprintf(doConvert, "UTF-16")}},
	{"\xfe\xff", FormError{"UTF-16", fmt.Sprintf(doConvert, "UTF-16")}},
}

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

// kindOf tells what text does not begin like this; nil: it may be text.
func kindOf(head []byte) *FormError {
	for i := range foreign {
		if bytes.HasPrefix(head, []byte(foreign[i].head)) {
			return &foreign[i].FormError
		}
	}
	const tarMark, tarAt = "ustar", 257
	switch {
	case len(head) >= tarAt+len(tarMark) && string(head[tarAt:tarAt+len(tarMark)]) == tarMark:
		return &FormError{"a tar archive", doUnpack}
	case len(head) >= 4 && head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
		return &FormError{"UTF-16", fmt.Sprintf(doConvert, "UTF-16LE")}
	case len(head) >= 4 && head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		return &FormError{"UTF-16", fmt.Sprintf(doConvert, "UTF-16BE")}
	}
	return nil
}

func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

// zipKind tells the documents that are zip archives from archives, by the names of their
// first files.
func zipKind(head []byte) *FormError {
	names := string(head)
	switch {
	case strings.Contains(names, "opendocument.spreadsheet"):
		return &FormError{"an OpenDocument spreadsheet", doSave}
	case strings.Contains(names, "[Content_Types].xml"), strings.Contains(names, "xl/"), strings.Contains(names, "_rels/"), strings.Contains(names, "docProps/"):
		return &FormError{"an Excel workbook, or another document of Office", doSave}
	default:
		return &FormError{"a zip archive", doUnpack}
	}
}

// Check refuses inputs whose first bytes say that they are no text. It looks at files
// alone: what comes by a pipe is looked at when it is read. All that is refused is told in
// one error.
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
