package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// ValueTexts says how blobs and collections are written as text.
type ValueTexts struct {
	Binary      string // hex, after 0x, or base64
	Collections string // cql or json: the form of collections, tuples, user types and vectors
}

// The forms of values. The first of each is the default.
const (
	BinaryHex       = "hex"
	BinaryBase64    = "base64"
	CollectionsCQL  = "cql"
	CollectionsJSON = "json"
	integersPlain   = "plain"
	integersDecimal = "decimal"
)

var (
	binaries    = []string{BinaryHex, BinaryBase64}
	collections = []string{CollectionsCQL, CollectionsJSON}
	integers    = []string{integersPlain, integersDecimal}
)

func newValueTexts() ValueTexts {
	return ValueTexts{Binary: BinaryHex, Collections: CollectionsCQL}
}

func (o *ValueTexts) settings() setting.List {
	return setting.List{
		{Name: "binary", Field: &o.Binary, Among: binaries},
		{Name: "collections", Field: &o.Collections, Among: collections},
	}
}

// CheckValues returns an error for a form that does not exist, or that a dialect or a format (csv,
// tsv, json) does not have.
func (o *ValueTexts) CheckValues(dialect, form string) error {
	switch {
	case !slices.Contains(binaries, o.Binary):
		return errAmong("binary", o.Binary, binaries)
	case !slices.Contains(collections, o.Collections):
		return errAmong("collections", o.Collections, collections)
	case o.Collections != CollectionsCQL && form == "json":
		return errors.New("--collections is for delimited text; in JSON they are JSON")
	case dialect == DialectCQLSH && *o != newValueTexts():
		return errors.New(
			"--binary, --collections: cqlsh has one form of each; leave --dialect cqlsh out",
		)
	}
	return nil
}

func errAmong(flag, text string, among []string) error {
	return fmt.Errorf("--%s %q: must be %s", flag, text, strings.Join(among, " or "))
}

// DecimalIntegers reports whether 12.0 is read as the whole number 12.
func (o *Dialect) DecimalIntegers() bool { return o.Integers == integersDecimal }

// CheckNumbers returns an error for forms of numbers that do not exist, or that are none of cqlsh.
func (o *Dialect) CheckNumbers() error {
	switch {
	case !slices.Contains(integers, o.Integers):
		return errAmong("integers", o.Integers, integers)
	case o.Name == DialectCQLSH && (o.DecimalIntegers() || len(o.Currency) > 0):
		return errors.New(
			"--integers, --currency: cqlsh has no such numbers; leave --dialect cqlsh out",
		)
	}
	for _, sign := range o.Currency {
		if sign == "" || strings.ContainsAny(sign, "+-.,0123456789") {
			return fmt.Errorf("--currency %q: a sign has no digits, points or commas", sign)
		}
	}
	return nil
}
