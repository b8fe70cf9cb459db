package cqltext

// What packages that read other spellings of the same values share with this one.

// Invalid is the error for a text that is no value of the named type, in the words of this package's own: it
// shows the text, cut short when long, and wraps the reason.
func Invalid(name string, text []byte, reason error) error { return invalid(name, text, reason) }

// TrimBlanks returns text without the spaces, tabs and line ends at both ends.
func TrimBlanks(text []byte) []byte { return trimBlanks(text) }

// FixedLen returns the number of bytes that each value of a codec from Plan has inside a vector. It is -1 when
// values differ in length, and each stands there after its length, which AppendUvint writes.
func FixedLen(c Codec) int {
	if own, ok := c.(codec); ok {
		return own.fixedLen()
	}
	return -1
}

// AppendUvint appends an unsigned vint of the native protocol v5, in as few bytes as hold it.
func AppendUvint(dst []byte, u uint64) []byte { return appendUvint(dst, u) }
