package setting

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Value is the value of a setting that is one text. Set takes what a person writes, and
// says in words of theirs why it does not.
type Value interface {
	String() string
	Set(text string) error
	Type() string // what help calls the value; empty of one that is on or off
}

// Value gives the value of a setting that is no list and no pairs.
func (s Setting) Value() Value {
	switch field := s.Field.(type) {
	case *string:
		return (*word)(field)
	case *bool:
		return (*onOff)(field)
	case *int:
		return number[int]{field}
	case *int64:
		return number[int64]{field}
	case *uint64:
		return number[uint64]{field}
	case *float64:
		return (*rate)(field)
	case *time.Duration:
		return (*span)(field)
	case Value: // *Size, *Seconds, *Mode, *RowLimit
		return field
	default:
		panic(fmt.Sprintf("setting %s: a field of type %T is no value", s.Name, s.Field))
	}
}

// word is a text as it is.
type word string

func (w *word) String() string        { return string(*w) }
func (w *word) Set(text string) error { *w = word(text); return nil }
func (*word) Type() string            { return "text" }

// onOff is a setting that is on or off.
type onOff bool

func (o *onOff) String() string { return strconv.FormatBool(bool(*o)) }
func (*onOff) Type() string     { return "" }

// IsBoolFlag says that the name of the flag alone means true.
func (*onOff) IsBoolFlag() bool { return true }

func (o *onOff) Set(text string) error {
	on, ok := ParseBool(text)
	if !ok {
		return fmt.Errorf("%q is neither true nor false", text)
	}
	*o = onOff(on)
	return nil
}

// ParseBool reads a word for true or false; ok is false for any other.
func ParseBool(text string) (on, ok bool) {
	switch strings.ToLower(text) {
	case "true", "t", "yes", "y", "on", "1":
		return true, true
	case "false", "f", "no", "n", "off", "0":
		return false, true
	default:
		return false, false
	}
}

// number is a whole number: digits, with k, M or G behind them for 10^3, 10^6 and 10^9. It may have
// decimals if the result is whole all the same (1.5k).
type number[T int | int64 | uint64] struct{ field *T }

func (n number[T]) String() string { return fmt.Sprint(*n.field) }
func (number[T]) Type() string     { return "number" }

func (n number[T]) Set(text string) error {
	if seed, ok := any(n.field).(*uint64); ok { // of all 64 bits
		if value, err := strconv.ParseUint(text, 10, 64); err == nil {
			*seed = value
			return nil
		}
	}
	value, ok := scaled(text, thousands)
	if !ok || int64(T(value)) != value || value < 0 && T(value) > 0 {
		return fmt.Errorf("%q is no whole number: write it as 5000, 5k or 2M", text)
	}
	*n.field = T(value)
	return nil
}

// rate is a number of something a second, with decimals, and k, M or G as of a number.
type rate float64

func (r *rate) String() string { return strconv.FormatFloat(float64(*r), 'g', -1, 64) }
func (*rate) Type() string     { return "number" }

func (r *rate) Set(text string) error {
	if value, ok := scaled(text, thousands); ok {
		*r = rate(value)
		return nil
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("%q is no number: write it as 5000, 5k or 0.5", text)
	}
	*r = rate(value)
	return nil
}
