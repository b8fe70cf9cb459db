package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

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
