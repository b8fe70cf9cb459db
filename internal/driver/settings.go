package driver

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Limits are the server's own bounds on writes.
type Limits struct {
	BatchWarnBytes      int // a batch over several partitions above this is warned about
	BatchWarnPartitions int // so is an unlogged batch over more partitions
	MaxMutationBytes    int // a larger mutation is refused
	MaxFrameBytes       int // so is a larger request; 0: not known
}

// DefaultLimits are Cassandra's defaults, taken when the server does not tell.
var DefaultLimits = Limits{BatchWarnBytes: 5 << 10, BatchWarnPartitions: 10, MaxMutationBytes: 16 << 20}

// Limits reads the bounds from the virtual table of settings, which Cassandra
// has since 4.0 (with the unit in the name) and 4.1 (with the unit in the value).
// What cannot be read keeps its default.
func (s *Session) Limits(ctx context.Context) Limits {
	limits := DefaultLimits
	for _, setting := range []struct {
		name string
		unit int
		into *int
	}{
		{"batch_size_warn_threshold", 1, &limits.BatchWarnBytes},
		{"batch_size_warn_threshold_in_kb", 1 << 10, &limits.BatchWarnBytes},
		{"unlogged_batch_across_partitions_warn_threshold", 1, &limits.BatchWarnPartitions},
		{"max_mutation_size", 1, &limits.MaxMutationBytes},
		{"max_mutation_size_in_kb", 1 << 10, &limits.MaxMutationBytes},
		{"native_transport_max_frame_size_in_mb", 1 << 20, &limits.MaxFrameBytes},
		{"native_transport_max_frame_size", 1, &limits.MaxFrameBytes},
	} {
		var value string
		err := s.each(ctx, "", func() error { return nil }, []any{&value},
			"SELECT value FROM system_views.settings WHERE name = ?", setting.name)
		if err != nil {
			return limits
		}
		if n, err := parseSize(value); err == nil && n > 0 {
			*setting.into = n * setting.unit
		}
	}
	return limits
}

// parseSize reads a data size as Cassandra's configuration writes it: a whole
// number with B, KiB, MiB or GiB, or none.
func parseSize(s string) (int, error) {
	number := strings.TrimRight(s, "KMGiB")
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0, fmt.Errorf("size %q: %w", s, err)
	}
	switch s[len(number):] {
	case "", "B":
		return n, nil
	case "KiB":
		return n << 10, nil
	case "MiB":
		return n << 20, nil
	case "GiB":
		return n << 30, nil
	default:
		return 0, fmt.Errorf("size %q: unknown unit", s)
	}
}
