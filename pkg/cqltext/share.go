package cqltext

// The functions here are for packages that read other spellings of the same values.

// Invalid returns the [Error] for a text that is not a value of the named type.
func Invalid(name string, text []byte, reason error) error { return invalid(name, text, reason) }

// TrimBlanks returns text without the spaces, tabs and line ends at both ends.
func TrimBlanks(text []byte) []byte { return trimBlanks(text) }
