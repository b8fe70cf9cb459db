package driver

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// ServerWarning is a warning that nodes sent with answers: of tombstones, large batches, or a limit
// that is near. Section 2.2 of the native protocol, version 4, has how it is sent.
type ServerWarning struct {
	Text  string // of the first one
	Times int64  // how many were sent that differ from it at most in numbers and values
}

// serverWarnings counts the warnings of a session's nodes, and shows each kind once. It is safe for
// concurrent use.
type serverWarnings struct {
	show func(format string, args ...any)

	mu    sync.Mutex
	kinds map[string]*ServerWarning // by the text with # for values
}

// These bound the memory, whatever nodes send.
const (
	mostWarningKinds = 50
	longestWarning   = 500 // in bytes
)

// otherWarnings is the text for all kinds beyond mostWarningKinds.
const otherWarnings = "other warnings"

// add counts the warnings of an answer.
func (w *serverWarnings) add(node string, texts []string) {
	for _, text := range texts {
		text = cutWarning(text)
		if w.count(text) {
			w.show("node %s warns: %s", node, text)
		}
	}
}

// count reports whether a warning is the first of its kind.
func (w *serverWarnings) count(text string) (isNew bool) {
	kind := warningKind(text)
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.kinds[kind]
	if known == nil && len(w.kinds) >= mostWarningKinds {
		kind, text = otherWarnings, otherWarnings
		known = w.kinds[kind]
	}
	if known == nil {
		if w.kinds == nil {
			w.kinds = make(map[string]*ServerWarning)
		}
		known = &ServerWarning{Text: text}
		w.kinds[kind] = known
	}
	known.Times++
	return known.Times == 1
}

// cutWarning bounds the length of a warning. One about a statement quotes it.
func cutWarning(text string) string {
	if len(text) <= longestWarning {
		return text
	}
	end := longestWarning
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}

// warningValue matches what differs between warnings of a kind: text in quotes, and words with a
// digit, such as 4096, 6.1KiB, -12, and a UUID.
var warningValue = regexp.MustCompile(`(?:'[^']*'?)+|[-.\w]*\d[-.\w]*`)

func warningKind(text string) string { return warningValue.ReplaceAllLiteralString(text, "#") }

// ServerWarnings returns the warnings that the nodes sent so far, the most frequent first.
func (s *Session) ServerWarnings() []ServerWarning {
	s.warnings.mu.Lock()
	defer s.warnings.mu.Unlock()
	list := make([]ServerWarning, 0, len(s.warnings.kinds))
	for _, known := range s.warnings.kinds {
		list = append(list, *known)
	}
	slices.SortFunc(list, func(a, b ServerWarning) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), strings.Compare(a.Text, b.Text))
	})
	return list
}
