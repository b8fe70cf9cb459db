package operation

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/operation/setting"
	"github.com/cqlbulk/cqlbulk/pkg/cqlshtext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// Dialect says how the text of values and records is read, besides what a scan shares.
type Dialect struct {
	Name           string // cqlbulk or cqlsh
	Escape         string // what stands before a character that is taken as it is; empty: that of the dialect
	Unescape       bool
	DateTimeFormat string
	BoolStyle      string
	DecimalSep     string
	ThousandsSep   string
	Encoding       string // utf-8 or latin1
	TimestampUnit  string // s, ms, us or ns
}

// newDialect has the defaults.
func newDialect() Dialect { return Dialect{Name: "cqlbulk", Encoding: "utf-8", TimestampUnit: "ms"} }

// dialectCQLSH is the dialect of cqlsh's COPY, and cqlshEscape what it escapes with.
const (
	dialectCQLSH = "cqlsh"
	cqlshEscape  = `\`
)

// The dialects and encodings there are.
var (
	dialects  = []string{"cqlbulk", dialectCQLSH}
	encodings = []string{"utf-8", "latin1"}
	units     = []string{"s", "ms", "us", "ns"}
)

func (o *Dialect) settings() setting.List {
	return setting.List{
		{Name: "dialect", Field: &o.Name, Among: dialects},
		{Name: "escape", Field: &o.Escape},
		{Name: "unescape", Field: &o.Unescape},
		{Name: "datetimeformat", Field: &o.DateTimeFormat},
		{Name: "boolstyle", Field: &o.BoolStyle},
		{Name: "decimalsep", Field: &o.DecimalSep},
		{Name: "thousandssep", Field: &o.ThousandsSep},
		{Name: "encoding", Field: &o.Encoding, Among: encodings},
		{Name: "timestamp-unit", Field: &o.TimestampUnit, Among: units},
	}
}

// timestampUnit is what a timestamp given as a number counts.
func (o *Dialect) timestampUnit() (time.Duration, error) {
	switch o.TimestampUnit {
	case "s":
		return time.Second, nil
	case "ms":
		return time.Millisecond, nil
	case "us":
		return time.Microsecond, nil
	case "ns":
		return time.Nanosecond, nil
	default:
		return 0, fmt.Errorf("--timestamp-unit %q: must be %s", o.TimestampUnit, strings.Join(units, ", "))
	}
}

// codecs sets the escape in a format and gives what plans the codecs of columns,
// nil for cqlbulk's own.
func (o *Dialect) codecs(form string, nulls []string, format *dsv.Format) (func(*cqltype.Type) (ingest.Codec, error), error) {
	cqlsh := o.Name == dialectCQLSH
	switch {
	case !slices.Contains(dialects, o.Name):
		return nil, fmt.Errorf("--dialect %q: must be %s", o.Name, strings.Join(dialects, " or "))
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
		format.Escape = cqlshEscape[0]
	}
	if err := format.Validate(); err != nil {
		return nil, fmt.Errorf("--escape, --delimiter or --quote: %w", err)
	}
	unit, err := o.timestampUnit()
	switch {
	case err != nil:
		return nil, err
	case !cqlsh && unit == time.Millisecond:
		return nil, nil
	case !cqlsh:
		return func(t *cqltype.Type) (ingest.Codec, error) { return cqltext.PlanIn(t, unit) }, nil
	}
	options := cqlshtext.Options{
		DateTimeFormat: o.DateTimeFormat, DecimalSep: o.DecimalSep, ThousandsSep: o.ThousandsSep, Unescape: o.Unescape, TimestampUnit: unit,
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
	plan := func(t *cqltype.Type) (ingest.Codec, error) { return cqlshtext.Plan(t, options) }
	if _, err := plan(&cqltype.Type{Kind: cqltype.Timestamp}); err != nil {
		return nil, fmt.Errorf("--datetimeformat, --boolstyle, --decimalsep or --thousandssep: %w", err)
	}
	return plan, nil
}

// timestamp is the write time of all rows in microseconds since the epoch, nil
// when none is given.
func (o *LoadSpec) timestamp() (*int64, error) {
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

// latin1 says whether the inputs are in windows-1252, which most files are in that are called Latin-1.
func (o *LoadSpec) latin1() (bool, error) {
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(o.Dialect.Encoding)) {
	case "utf8":
		return false, nil
	case "latin1", "iso88591", "windows1252", "cp1252":
		if o.Format == "json" {
			return false, errors.New("--encoding latin1: JSON is always UTF-8")
		}
		return true, nil
	default:
		return false, fmt.Errorf("--encoding %q: must be %s", o.Dialect.Encoding, strings.Join(encodings, " or "))
	}
}
