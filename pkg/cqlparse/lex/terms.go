package lex

import "slices"

// closing are the signs that close what others open.
var closing = map[string]string{"(": ")", "[": "]", "{": "}"}

// Terms reads at least one token. It stops at one of the given words or signs outside all brackets,
// at a semicolon, or at the end. It calls each with each token that it has read. It returns the
// text of the tokens, as it was written.
func (r *Reader) Terms(each func(Token) error, until ...string) (string, error) {
	var open []string
	from, end := r.Next().At, r.Next().At
	for {
		t := r.Next()
		if len(open) == 0 && (t.Kind == End || t.Is(";") || slices.ContainsFunc(until, t.Is)) {
			if end == from {
				return "", r.Unexpected("a value")
			}
			return r.text[from:end], nil
		}
		switch {
		case t.Kind == End:
			return "", r.Unexpected(open[len(open)-1])
		case t.Kind == Sign && closing[t.Text] != "":
			open = append(open, closing[t.Text])
		case t.Is(")"), t.Is("]"), t.Is("}"):
			if len(open) == 0 || open[len(open)-1] != t.Text {
				return "", r.ErrorAt(t, "nothing is open that %s closes", t.Text)
			}
			open = open[:len(open)-1]
		}
		r.Read()
		end = t.End
		if err := each(t); err != nil {
			return "", err
		}
	}
}

// Calls reports whether a token that was read is the name of a function that is called.
func (r *Reader) Calls(t Token) bool {
	return (t.Kind == Word || t.Kind == Name) && r.Next().Is("(") && !t.Is("in") && !t.Is("and")
}
