package setting

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
)

// Size is a number of bytes. Its text is a number with B, K, M, G or T, each with or without B or
// iB behind it; K is 1024. It may have decimals if the bytes are a whole number (1.5G).
type Size int64

// String writes the size in the largest unit that keeps it whole.
func (s *Size) String() string {
	units := []string{"", "KiB", "MiB", "GiB", "TiB"}
	n, unit := int64(*s), 0
	for n != 0 && n%1024 == 0 && unit < len(units)-1 {
		n /= 1024
		unit++
	}
	return fmt.Sprintf("%d%s", n, units[unit])
}

// Type is what help calls the value.
func (*Size) Type() string { return "size" }

// Set reads a size.
func (s *Size) Set(text string) error {
	n, ok := scaled(text, binary)
	if !ok || n < 0 || n > 1<<62 {
		return fmt.Errorf("%q is no size: write a number of bytes such as 64MiB", text)
	}
	*s = Size(n)
	return nil
}

// The units of counts and of bytes, in small letters.
var (
	thousands = map[string]int64{"": 1, "k": 1e3, "m": 1e6, "g": 1e9}
	binary    = binaryUnits()
)

func binaryUnits() map[string]int64 {
	units := map[string]int64{"": 1, "b": 1}
	for i, letter := range []string{"k", "m", "g", "t"} {
		for _, end := range []string{"", "b", "ib"} {
			units[letter+end] = 1 << (10 * (i + 1))
		}
	}
	return units
}

// scaledText is a number and its unit.
var scaledText = regexp.MustCompile(`^([+-]?[0-9]{1,20}(?:\.[0-9]{1,20})?) ?([A-Za-z]*)$`)

// scaled reads a number with a unit; not ok when it is none, or not whole.
func scaled(text string, units map[string]int64) (n int64, ok bool) {
	parts := scaledText.FindStringSubmatch(text)
	if parts == nil {
		return 0, false
	}
	unit, known := units[strings.ToLower(parts[2])]
	value, valid := new(big.Rat).SetString(parts[1])
	if !known || !valid {
		return 0, false
	}
	value.Mul(value, new(big.Rat).SetInt64(unit))
	if !value.IsInt() || !value.Num().IsInt64() || value.Num().Int64() == math.MinInt64 {
		return 0, false
	}
	return value.Num().Int64(), true
}
