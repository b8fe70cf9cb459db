package dialect

import (
	"encoding/base64"
	"errors"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
)

// base64Blob reads blobs in base64 of RFC 4648, with or without padding. An empty blob is 0x, as in
// CQL, or an empty field in quotes, as DSBulk writes it. An empty field without quotes is null.
type base64Blob struct{ name string }

// TakesEmpty implements what format calls an emptyTaker.
func (base64Blob) TakesEmpty() {}

var errBase64 = errors.New("not base64")

// AppendWire implements format.Codec.
func (b base64Blob) AppendWire(dst, text []byte) ([]byte, error) {
	encoding := base64.StdEncoding
	if len(text)%4 != 0 {
		encoding = base64.RawStdEncoding
	}
	if string(text) == "0x" {
		return dst, nil
	}
	mark := len(dst)
	dst, err := encoding.Strict().AppendDecode(dst, text)
	if err != nil {
		return dst[:mark], cqltext.Invalid(b.name, text, errBase64)
	}
	return dst, nil
}
