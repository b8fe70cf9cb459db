package cqltext

// What packages that read other spellings of the same values share with this one.

// Invalid is the [Error] for a text that is no value of the named type.
func Invalid(name string, text []byte, reason error) error { return invalid(name, text, reason) }

// TrimBlanks returns text without the spaces, tabs and line ends at both ends.
func TrimBlanks(text []byte) []byte { return trimBlanks(text) }
