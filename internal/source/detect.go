package source

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

// magic is how a stream of a format begins.
type magic struct {
	head   string
	format *format
}

var magics = allMagics()

func allMagics() []magic {
	all := []magic{
		{"\x1f\x8b\x08", &gzipFormat},
		{"\x28\xb5\x2f\xfd", &zstdFormat},
		{"\x04\x22\x4d\x18", &lz4Format},
		{"\xff\x06\x00\x00sNaPpY", &snappyFormat},
		{"\xfd7zXZ\x00", &xzFormat},
	}
	// "BZh9" may be text; what follows it in a stream, the mark of a block or
	// that of the end, is not.
	for level := '1'; level <= '9'; level++ {
		all = append(all,
			magic{"BZh" + string(level) + "\x31\x41\x59\x26\x53\x59", &bzip2Format},
			magic{"BZh" + string(level) + "\x17\x72\x45\x38\x50\x90", &bzip2Format})
	}
	for kind := byte(0x50); kind <= 0x5f; kind++ {
		all = append(all, magic{string([]byte{kind, 0x2a, 0x4d, 0x18}), &skippable})
	}
	return all
}

// skippable stands for the frames that zstd and lz4 have in common. They hold no text. The frames
// after them show which of the two formats it is.
var skippable = format{name: "zstd or lz4"}

var errUnknownFrame = errors.New("neither a zstd nor an lz4 frame follows a skippable one")

// detect returns the format of the bytes in a reader; nil is plain text. It takes no byte of the
// text, and waits for no more bytes than it needs to decide. With an error, the format is the one
// that the error is about.
func detect(in *bufio.Reader) (*format, error) {
	f, err := match(in)
	if err != nil || f != &skippable {
		return f, err
	}
	for f == &skippable {
		if err := skipFrame(in); err != nil {
			return f, notTheEnd(err)
		}
		if _, err := in.Peek(1); isEnd(err) {
			return &zstdFormat, nil // nothing but such frames: no text
		}
		if _, err := in.Peek(frameMagicSize); err != nil {
			return f, notTheEnd(err)
		}
		if f, err = match(in); err != nil {
			return &skippable, err
		}
	}
	if f != &zstdFormat && f != &lz4Format {
		return &skippable, errUnknownFrame
	}
	return f, nil
}

// unpackers are the commands that write the text of files to the standard output, by format.
var unpackers = map[string]string{
	"gzip":   "gzip -dc",
	"zstd":   "zstd -dc",
	"lz4":    "lz4 -dc",
	"snappy": "snzip -dc",
	"bzip2":  "bzip2 -dc",
	"xz":     "xz -dc",
}

// Unpacker returns the command that writes the text of a compressed file to the standard output. It
// is empty if the file is not compressed, or cannot be read.
func Unpacker(name string) string {
	r, err := OpenFile(name)
	if err != nil {
		return ""
	}
	defer func() { _ = r.Close() }()
	_, _ = r.Read(make([]byte, 1)) // an error of the text does not matter
	return unpackers[r.format]
}

// frameMagicSize is how many bytes zstd and lz4 frames of all kinds begin with.
const frameMagicSize = 4

func skipFrame(in *bufio.Reader) error {
	var head [8]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, in, int64(binary.LittleEndian.Uint32(head[4:])))
	return err
}

// match compares the next bytes with the magics, one more at a time.
func match(in *bufio.Reader) (*format, error) {
	for n := 1; ; n++ {
		head, err := in.Peek(n)
		candidate := candidate(string(head))
		switch {
		case candidate == nil:
			return nil, nil
		case isEnd(err) && cutOff(head):
			return candidate.format, io.ErrUnexpectedEOF
		case err != nil:
			return nil, nil // reading meets it again
		case n == len(candidate.head):
			return candidate.format, nil
		}
	}
}

// candidate returns a magic that begins with head.
func candidate(head string) *magic {
	for i := range magics {
		if strings.HasPrefix(magics[i].head, head) {
			return &magics[i]
		}
	}
	return nil
}

// cutOff reports whether an input that is only the beginning of a magic was a compressed stream. No
// text is likely to be the same bytes.
func cutOff(head []byte) bool {
	for _, b := range head {
		if b < ' ' || b > '~' {
			return true
		}
	}
	return len(head) > len("BZh9")
}
