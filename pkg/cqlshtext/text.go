package cqlshtext

import (
	"bytes"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
)

// textReader reads ascii and text: the bytes unchanged, or with COPY TO's escapes reversed.
type textReader struct {
	scalar
	unescape bool
}

func (r *textReader) read(dst, text []byte, _ int) ([]byte, error) {
	mark := len(dst)
	return r.finish(append(dst, text...), mark, text)
}

// readQuoted reads the content of single quotes, in which single quotes are doubled.
func (r *textReader) readQuoted(dst, text []byte) ([]byte, error) {
	mark := len(dst)
	for rest := text; ; {
		i := bytes.IndexByte(rest, '\'')
		if i < 0 {
			return r.finish(append(dst, rest...), mark, text)
		}
		dst = append(dst, rest[:i+1]...)
		rest = rest[min(i+2, len(rest)):]
	}
}

// finish turns dst[mark:], which comes from text, into a value.
func (r *textReader) finish(dst []byte, mark int, text []byte) (out []byte, err error) {
	if r.unescape {
		dst, err = unescape(dst, mark)
	}
	if err == nil {
		// The codec checks the bytes and appends them at their own place.
		dst, err = r.wire.AppendWire(dst[:mark], dst[mark:])
	}
	if err != nil {
		return dst, cqltext.Invalid(r.name, text, err)
	}
	return dst, nil
}
