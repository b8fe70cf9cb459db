package setting

import (
	"fmt"
	"strconv"
	"strings"
)

// Size is a number of bytes: a whole number with B, K, M, G or T, each
// with or without B or iB behind it; K is 1024.
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
	number := strings.TrimRight(text, "BbiIkKmMgGtT ")
	unit := strings.ToUpper(strings.TrimSpace(text[len(number):]))
	shift := map[string]uint{
		"": 0, "B": 0, "K": 10, "KB": 10, "KIB": 10, "M": 20, "MB": 20, "MIB": 20,
		"G": 30, "GB": 30, "GIB": 30, "T": 40, "TB": 40, "TIB": 40,
	}
	bits, ok := shift[unit]
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || !ok || n < 0 || n > (1<<62)>>bits {
		return fmt.Errorf("%q is no size: write a number of bytes such as 64MiB", text)
	}
	*s = Size(n << bits)
	return nil
}
