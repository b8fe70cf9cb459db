package driver

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/gocql/gocql"
)

// Limits are the server's own limits on writes.
type Limits struct {
	BatchWarnBytes      int // larger batches over several partitions are warned about
	BatchWarnPartitions int // unlogged batches over more partitions are warned about
	MaxMutationBytes    int // larger mutations are refused
	MaxFrameBytes       int // larger requests are refused; 0: not known
	// limits of storage-attached indexes for each kind of values, in bytes; 0: not known; negative:
	// no limit
	MaxTermBytes, MaxFrozenTermBytes, MaxVectorBytes int
}

// DefaultLimits are Cassandra's defaults, for servers that do not report theirs.
var DefaultLimits = Limits{
	BatchWarnBytes:      5 << 10,
	BatchWarnPartitions: 10,
	MaxMutationBytes:    16 << 20,
	MaxTermBytes:        8 << 10,
	MaxFrozenTermBytes:  8 << 10,
	MaxVectorBytes:      32 << 10,
}

// Limits asks a few nodes for the limits. Cassandra has a virtual table of settings, since 4.0 with
// the unit in the name, and since 4.1 with the unit in the value. If nodes differ, batches are
// limited so that no node warns, and mutations and requests by the largest that any node accepts.
// What no node reports keeps its default. A warning says so if nodes did not answer.
func (s *Session) Limits(ctx context.Context) Limits {
	hosts := s.contactNodes()
	told := make([]Limits, len(hosts))
	_, silent := s.askAll(ctx, hosts, func(ctx context.Context, i int) (err error) {
		told[i], err = s.limitsOf(ctx, hosts[i])
		return err
	})
	var limits Limits
	for _, l := range told {
		limits.BatchWarnBytes = least(limits.BatchWarnBytes, l.BatchWarnBytes)
		limits.BatchWarnPartitions = least(limits.BatchWarnPartitions, l.BatchWarnPartitions)
		limits.MaxMutationBytes = max(limits.MaxMutationBytes, l.MaxMutationBytes)
		limits.MaxFrameBytes = max(limits.MaxFrameBytes, l.MaxFrameBytes)
		limits.MaxTermBytes = leastTerm(limits.MaxTermBytes, l.MaxTermBytes)
		limits.MaxFrozenTermBytes = leastTerm(limits.MaxFrozenTermBytes, l.MaxFrozenTermBytes)
		limits.MaxVectorBytes = leastTerm(limits.MaxVectorBytes, l.MaxVectorBytes)
	}
	if limits == (Limits{}) {
		s.warnSilent(
			silent,
			"how large batches may be is taken to be as Cassandra has it by default",
		)
	}
	return Limits{
		BatchWarnBytes:      cmp.Or(limits.BatchWarnBytes, DefaultLimits.BatchWarnBytes),
		BatchWarnPartitions: cmp.Or(limits.BatchWarnPartitions, DefaultLimits.BatchWarnPartitions),
		MaxMutationBytes:    cmp.Or(limits.MaxMutationBytes, DefaultLimits.MaxMutationBytes),
		MaxFrameBytes:       limits.MaxFrameBytes,
		MaxTermBytes:        cmp.Or(limits.MaxTermBytes, DefaultLimits.MaxTermBytes),
		MaxFrozenTermBytes:  cmp.Or(limits.MaxFrozenTermBytes, DefaultLimits.MaxFrozenTermBytes),
		MaxVectorBytes:      cmp.Or(limits.MaxVectorBytes, DefaultLimits.MaxVectorBytes),
	}
}

// least returns the smaller of two numbers. 0 means unknown.
func least(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// leastTerm returns the smaller of two limits. A negative number is no limit.
func leastTerm(a, b int) int {
	if a < 0 || b < 0 {
		return cmp.Or(max(a, b), min(a, b))
	}
	return least(a, b)
}

// limitsOf asks one node. What it does not report is 0.
func (s *Session) limitsOf(ctx context.Context, h *gocql.HostInfo) (Limits, error) {
	var limits Limits
	told, err := s.settings(ctx, h)
	for _, l := range []struct {
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
		if n, err := parseSize(told[l.name]); err == nil && n > 0 {
			*l.into = n * l.unit
		}
	}
	for name, into := range map[string]*int{
		"sai_string_term_size_fail_threshold": &limits.MaxTermBytes,
		"sai_frozen_term_size_fail_threshold": &limits.MaxFrozenTermBytes,
		"sai_vector_term_size_fail_threshold": &limits.MaxVectorBytes,
	} {
		if text, known := told[name]; known {
			*into = -1
			if n, err := parseSize(text); err == nil && n > 0 {
				*into = n
			}
		}
	}
	return limits, err
}

// parseSize reads a data size as in Cassandra's configuration: a whole number with B, KiB, MiB,
// GiB, or no unit.
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

// settings asks one node for its settings, by name: all at once, in one request.
func (s *Session) settings(ctx context.Context, h *gocql.HostInfo) (map[string]string, error) {
	told := make(map[string]string)
	var name, value string
	err := s.each(ctx, h.HostID(), func() error {
		told[name] = value
		return nil
	}, []any{&name, &value}, "SELECT name, value FROM system_views.settings")
	return told, err
}

// Setting asks the nodes for one of their settings, by host id. Nodes that are down, do not have
// it, or do not answer are missing.
func (s *Session) Setting(ctx context.Context, name string) (map[string]string, error) {
	hosts := s.hosts()
	told := make([]map[string]string, len(hosts))
	s.askAll(ctx, hosts, func(ctx context.Context, i int) (err error) {
		told[i], err = s.settings(ctx, hosts[i])
		return err
	})
	values := make(map[string]string)
	for i, h := range hosts {
		if value := told[i][name]; value != "" {
			values[h.HostID()] = value
		}
	}
	return values, ctx.Err()
}
