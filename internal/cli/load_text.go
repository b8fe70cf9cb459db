package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/pkg/cqlshtext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// textOptions say how the text of values and records is read, besides what a scan
// shares.
type textOptions struct {
	Dialect        string
	Escape         string
	Unescape       bool
	DateTimeFormat string
	BoolStyle      string
	DecimalSep     string
	ThousandsSep   string
	Encoding       string
}

func (o *textOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Dialect, "dialect", "cqlbulk", "cqlbulk, whose text scan writes, or cqlsh, whose text COPY TO writes and COPY FROM reads; there fields are told from null by their text alone")
	f.StringVar(&o.Escape, "escape", "", `what stands before a character that is to be taken as it is (default: nothing, a quote among quotes is doubled; cqlsh: \)`)
	f.BoolVar(&o.Unescape, "unescape", false, `cqlsh: undo the escapes that COPY TO makes in text (\\, \n, \x00) and COPY FROM leaves in it`)
	f.StringVar(&o.DateTimeFormat, "datetimeformat", "", "cqlsh: form of timestamps, as strftime has it (default: %Y-%m-%d %H:%M:%S.%f%z)")
	f.StringVar(&o.BoolStyle, "boolstyle", "", "cqlsh: the words for true and false (default: True,False)")
	f.StringVar(&o.DecimalSep, "decimalsep", "", "cqlsh: what stands before decimals (default: .)")
	f.StringVar(&o.ThousandsSep, "thousandssep", "", "cqlsh: what stands between groups of digits (default: nothing)")
	f.StringVar(&o.Encoding, "encoding", "utf-8", "utf-8 or latin1 (ISO 8859-1) of delimited text; JSON is always UTF-8")
}

// settle sets the escape in a format and gives what plans the codecs of columns,
// nil for cqlbulk's own.
func (o *textOptions) settle(form string, nulls []string, format *dsv.Format) (func(*cqltype.Type) (load.Codec, error), error) {
	cqlsh := o.Dialect == "cqlsh"
	switch {
	case !cqlsh && o.Dialect != "cqlbulk":
		return nil, fmt.Errorf("--dialect %q: must be cqlbulk or cqlsh", o.Dialect)
	case cqlsh && form == "json":
		return nil, errors.New("--dialect cqlsh: cqlsh knows no JSON")
	case cqlsh && len(nulls) > 1:
		return nil, errors.New("--dialect cqlsh: cqlsh knows one text for null: give --null-string once")
	case !cqlsh && (o.Unescape || o.DateTimeFormat != "" || o.BoolStyle != "" || o.DecimalSep != "" || o.ThousandsSep != ""):
		return nil, errors.New("--unescape, --datetimeformat, --boolstyle, --decimalsep and --thousandssep need --dialect cqlsh")
	case len(o.Escape) > 1:
		return nil, fmt.Errorf("--escape %q: must be one ASCII character", o.Escape)
	}
	if o.Escape != "" {
		format.Escape = o.Escape[0]
	} else if cqlsh {
		format.Escape = '\\'
	}
	if err := format.Validate(); err != nil {
		return nil, fmt.Errorf("--escape, --delimiter or --quote: %w", err)
	}
	if !cqlsh {
		return nil, nil
	}
	options := cqlshtext.Options{
		DateTimeFormat: o.DateTimeFormat, DecimalSep: o.DecimalSep, ThousandsSep: o.ThousandsSep, Unescape: o.Unescape,
	}
	if o.BoolStyle != "" {
		words := strings.Split(o.BoolStyle, ",")
		if len(words) != 2 {
			return nil, fmt.Errorf("--boolstyle %q: must be two words with a comma between them", o.BoolStyle)
		}
		options.BoolTrue, options.BoolFalse = strings.TrimSpace(words[0]), strings.TrimSpace(words[1])
	}
	if len(nulls) == 1 {
		options.Null = nulls[0]
	}
	plan := func(t *cqltype.Type) (load.Codec, error) { return cqlshtext.Plan(t, options) }
	if _, err := plan(&cqltype.Type{Kind: cqltype.Timestamp}); err != nil {
		return nil, fmt.Errorf("--datetimeformat, --boolstyle, --decimalsep or --thousandssep: %w", err)
	}
	return plan, nil
}

// timestamp is the write time of all rows in microseconds since the epoch, nil
// when none is given.
func (o *LoadOptions) timestamp() (*int64, error) {
	if o.Timestamp == "" {
		return nil, nil
	}
	if n, err := strconv.ParseInt(o.Timestamp, 10, 64); err == nil {
		return &n, nil
	}
	t, err := time.Parse(time.RFC3339Nano, o.Timestamp)
	if err != nil {
		return nil, fmt.Errorf("--timestamp %q: must be microseconds since 1970, or a time such as 2006-01-02T15:04:05Z", o.Timestamp)
	}
	n := t.UnixMicro()
	return &n, nil
}

// latin1 says whether the inputs are in ISO 8859-1.
func (o *LoadOptions) latin1() (bool, error) {
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(o.Encoding)) {
	case "utf8":
		return false, nil
	case "latin1", "iso88591":
		if o.Format == "json" {
			return false, errors.New("--encoding latin1: JSON is always UTF-8")
		}
		return true, nil
	default:
		return false, fmt.Errorf("--encoding %q: must be utf-8 or latin1", o.Encoding)
	}
}
