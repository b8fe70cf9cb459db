package safetext

import "strings"

// ShellWord returns a word as one types it into a shell. A word with characters that a
// terminal would act on has the form $'...' (POSIX.1-2024; bash, zsh and ksh have it), so that
// it can be shown and pasted.
func ShellWord(word string) string {
	if escape(word, "\t") == word {
		return ScriptWord(word)
	}
	var out strings.Builder
	out.WriteString("$'")
	for i := range len(word) { // byte by byte, as \x means the same in all shells
		switch c := word[i]; {
		case c == '\'' || c == '\\':
			out.Write([]byte{'\\', c})
		case c < ' ' || c >= 0x7f:
			out.Write([]byte{'\\', 'x', hex[c>>4], hex[c&15]})
			// A digit behind it must not be read as a part of it.
			if i+1 < len(word) && isHex(word[i+1]) {
				out.WriteString("'$'")
			}
		default:
			out.WriteByte(c)
		}
	}
	out.WriteByte('\'')
	return out.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// ScriptWord returns a word as a file of commands has it, for every shell of POSIX: control
// characters in it are themselves.
func ScriptWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("_-+=%@:,./", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
