package cqlshtext

// inetReader reads addresses. An IPv4 address may be short: 127.1 is 127.0.0.1, because the last
// number fills the rest of the four bytes.
type inetReader struct{ scalar }

func (r *inetReader) read(dst, text []byte, off int) ([]byte, error) {
	mark := len(dst)
	if out, ok := appendShortIPv4(dst, text); ok {
		return out, nil
	}
	return r.scalar.read(dst[:mark], text, off)
}

// appendShortIPv4 appends the bytes of an address of two or three numbers.
func appendShortIPv4(dst, text []byte) ([]byte, bool) {
	number, digits, dots := uint64(0), 0, 0
	for _, c := range text {
		switch {
		case isDigit(c) && digits < 8 && !(digits > 0 && number == 0):
			number = number*10 + uint64(c-'0')
			digits++
		case c == '.' && digits > 0 && number < 256 && dots < 2:
			dst = append(dst, byte(number))
			number, digits = 0, 0
			dots++
		default:
			return dst, false
		}
	}
	left := 4 - dots
	if dots == 0 || digits == 0 || number>>(8*left) != 0 {
		return dst, false
	}
	for left > 0 {
		left--
		dst = append(dst, byte(number>>(8*left)))
	}
	return dst, true
}
