package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// Thresholds are the servers' bounds on what they are sent, in bytes but for partitions.
type Thresholds struct {
	BatchWarnBytes, BatchWarnPartitions, MaxMutationBytes int
	// Settings of each node that reports them, by its address.
	Settings map[string]map[string]string
	Level    string // consistency level of the requests
	Write    bool   // rows are written by CQL; else they are read
	Scylla   bool   // whose nodes have no table of settings
}

// Bounds says what the servers take, and what they refuse by a guardrail.
func Bounds(t Thresholds) []Finding {
	text := fmt.Sprintf(
		"warned of: batches over %s or %s; refused: mutations over %s",
		human.Size(
			int64(t.BatchWarnBytes),
		),
		human.Of(t.BatchWarnPartitions, "partition"),
		human.Size(int64(t.MaxMutationBytes)),
	)
	if len(t.Settings) == 0 {
		if t.Scylla {
			return []Finding{Fine("ScyllaDB does not report them; those of Cassandra are taken: %s", text)}
		}
		return []Finding{
			Warn(
				"let the role SELECT system_views.settings, which Cassandra has since 4.0",
				"no node reports its settings; the defaults are taken: %s",
				text,
			),
		}
	}
	return append([]Finding{Fine("%s", text)}, t.guardrails()...)
}

// guardrails are what the servers refuse, or warn of, whatever the rows hold.
func (t Thresholds) guardrails() []Finding {
	var out []Finding
	side := "read"
	if t.Write {
		side = "write"
	}
	if node := t.where(side+"_consistency_levels_disallowed", t.holds); node != "" {
		out = append(
			out,
			Fail(
				"say another --consistency",
				"%s refuses to %s at %s (%s_consistency_levels_disallowed)",
				node,
				side,
				t.Level,
				side,
			),
		)
	} else if node := t.where(side+"_consistency_levels_warned", t.holds); node != "" {
		out = append(
			out,
			Warn(
				"say another --consistency",
				"%s warns when one is to %s at %s (%s_consistency_levels_warned)",
				node,
				side,
				t.Level,
				side,
			),
		)
	}
	if node := t.where(
		"user_timestamps_enabled",
		func(v string) bool { return v == "false" },
	); node != "" &&
		t.Write {
		out = append(
			out,
			Fail(
				"have user_timestamps_enabled set to true: rows of a load bear timestamps by their place in the input",
				"%s refuses rows with timestamps (user_timestamps_enabled)",
				node,
			),
		)
	}
	if node := t.where(
		"page_size_fail_threshold",
		func(v string) bool { n, err := strconv.Atoi(v); return err == nil && n > 0 },
	); node != "" &&
		!t.Write {
		n := t.Settings[node]["page_size_fail_threshold"]
		out = append(
			out,
			Warn(
				"say --pagesize "+n,
				"%s refuses pages of more than %s rows (page_size_fail_threshold)",
				node,
				n,
			),
		)
	}
	return out
}

// where returns a node whose setting is so; empty: there is none.
func (t Thresholds) where(name string, so func(value string) bool) string {
	for _, node := range slices.Sorted(maps.Keys(t.Settings)) {
		if value, ok := t.Settings[node][name]; ok && so(value) {
			return node
		}
	}
	return ""
}

// holds says whether a list, as Java or YAML writes it, has the level.
func (t Thresholds) holds(list string) bool {
	return slices.ContainsFunc(
		strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune("[], ", r) }),
		func(level string) bool { return strings.EqualFold(level, t.Level) },
	)
}

// Disk is what is known of a node's disk.
type Disk struct {
	Node string
	Free int64 // bytes; of a node that is not Known nothing
	// Known says that Free is known: the node is on this host.
	Known bool
	// Used is how full the node is, in the words of a guardrail: SPACIOUS, STUFFED or FULL. Empty,
	// or anything else: not known.
	Used string
}

// leastFree is what a node is to have left.
const leastFree = 1 << 30

// Disks judges how much room the nodes have, as far as they report it. coming is the number of
// bytes of text to be loaded; 0: none, or not known. Each node gets a part of them.
func Disks(disks []Disk, coming int64) []Finding {
	var out []Finding
	var known, silent []Disk
	for _, d := range disks {
		switch {
		case d.Used == "FULL":
			out = append(
				out,
				Fail(
					"make room, or add nodes",
					"%s says that its disk is full, and refuses writes (data_disk_usage_percentage_fail_threshold)",
					d.Node,
				),
			)
		case d.Used == "STUFFED":
			out = append(
				out,
				Warn(
					"make room, or add nodes",
					"%s says that its disk is nearly full (data_disk_usage_percentage_warn_threshold)",
					d.Node,
				),
			)
		case d.Known:
			known = append(known, d)
		case d.Used == "SPACIOUS":
		default:
			silent = append(silent, d)
		}
	}
	rest := ""
	if len(silent) > 0 {
		rest = fmt.Sprintf(
			"%s %s not report it by CQL",
			human.Of(len(silent), "node"),
			human.Verb(len(silent), "does", "do"),
		)
	}
	if len(known) == 0 {
		switch {
		case rest != "":
			out = append(out, Fine("%s: look there with df", rest))
		case len(out) == 0:
			out = append(out, Fine("the nodes say that there is room"))
		}
		return out
	}
	least := slices.MinFunc(known, func(a, b Disk) int { return int((a.Free - b.Free) >> 20) })
	text := fmt.Sprintf("%s free on %s", human.Size(least.Free), least.Node)
	if len(known) > 1 {
		text = fmt.Sprintf(
			"%s free on %s, the least of %s on this host",
			human.Size(least.Free),
			least.Node,
			human.Of(len(known), "node"),
		)
	}
	if rest != "" {
		text += "; " + rest
	}
	// A replica on each of them, and compaction, which writes all of it once more.
	if want := max(leastFree, 2*coming); least.Free < want {
		return append(
			out,
			Warn(
				"make room: "+human.Size(want)+" are wanted, for the rows and for compaction",
				"%s",
				text,
			),
		)
	}
	return append(out, Fine("%s", text))
}

// Port is a node's storage port.
type Port struct {
	Node string
	Err  error // why nothing can be streamed through it
}

// Ports says whether the nodes' storage ports can be reached. wanted: rows are to be streamed; else
// it is but good to know.
func Ports(ports []Port, wanted bool) Finding {
	var shut []string
	var why error
	for _, p := range ports {
		if p.Err != nil {
			shut = append(shut, p.Node)
			if why == nil {
				why = p.Err
			}
		}
	}
	switch {
	case len(ports) == 0:
		return Fine("not reported by the nodes; --via stream needs it")
	case len(shut) == 0:
		return Fine("reached on %s, as --via stream needs it", human.Of(len(ports), "node"))
	case wanted:
		return Fail(
			"open it from here, or see --storage-port and --internode-ssl; a node that is down may be left out with --ignore-hosts",
			"not reached on %s: %v",
			some(shut),
			why,
		)
	default:
		return Fine("not reached on %s, which --via stream alone needs: %v", some(shut), why)
	}
}
