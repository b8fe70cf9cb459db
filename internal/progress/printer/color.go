package printer

import (
	"fmt"
	"io"
	"os"
)

// Color is when text for a person has colors.
type Color string

// The kinds of Color. The zero value is Auto.
const (
	Auto   Color = "auto" // on a terminal, unless NO_COLOR is set or TERM is dumb
	Always Color = "always"
	Never  Color = "never"
)

// Check returns an error if there is no such kind.
func (c Color) Check() error {
	switch c {
	case "", Auto, Always, Never:
		return nil
	}
	return fmt.Errorf("%q: must be %s, %s or %s", string(c), Auto, Always, Never)
}

// On reports whether text written to w has colors.
func (c Color) On(w io.Writer) bool {
	switch c {
	case Always:
		return true
	case Never:
		return false
	}
	return os.Getenv("NO_COLOR") == "" && Draws(w)
}

// Red returns a text in red.
func Red(text string) string { return red.on(text) }

// paint is the color of a part of the line.
type paint string

const (
	plain  paint = ""
	red    paint = "\x1b[31m"
	yellow paint = "\x1b[33m"
	reset        = "\x1b[0m"
)

// on returns a text in the color.
func (p paint) on(text string) string {
	if p == plain || text == "" {
		return text
	}
	return string(p) + text + reset
}
