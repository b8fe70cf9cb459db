package driver

import (
	"slices"
	"strconv"
	"strings"
)

// supportedOptions are the options in a node's SUPPORTED that the frameChecker needs for later
// answers.
type supportedOptions struct{ metadataID, lz4 bool }

// mostShards is more shards than any machine has processors. The driver opens a connection to each.
const mostShards = 4096

// supported checks a SUPPORTED. The extensions are those of ScyllaDB's
// docs/dev/protocol-extensions.md. The library reads the first value of some options, so these must
// have one.
func (a *frameBody) supported() {
	options := make(map[string][]string)
	for n := a.short(); n > 0 && a.err == nil; n-- {
		key := a.text()
		from := len(a.read)
		options[key] = a.texts()
		if key == compressionOption && a.hideLZ4 && a.err == nil {
			a.read = append(a.read[:from], 0, 0)
		}
	}
	number := func(name string, limit int) int {
		values, there := options[name]
		if !there {
			return 0
		}
		if len(values) == 0 {
			a.fail("%s without a value", name)
			return 0
		}
		n, err := strconv.Atoi(values[0])
		if err != nil || n < 0 || n > limit {
			a.fail("%s is %q", name, values[0])
		}
		return n
	}
	shards := number("SCYLLA_NR_SHARDS", mostShards)
	number("SCYLLA_SHARD", max(shards-1, 0))
	number("SCYLLA_SHARDING_IGNORE_MSB", 63)
	number("SCYLLA_SHARD_AWARE_PORT", 1<<16-1)
	number("SCYLLA_SHARD_AWARE_PORT_SSL", 1<<16-1)
	for _, name := range []string{"SCYLLA_PARTITIONER", "SCYLLA_SHARDING_ALGORITHM"} {
		if values, there := options[name]; there && len(values) == 0 {
			a.fail("%s without a value", name)
		}
	}
	for _, name := range []string{"SCYLLA_RATE_LIMIT_ERROR", "SCYLLA_LWT_ADD_METADATA_MARK"} {
		for _, value := range options[name] {
			if !strings.Contains(value, "=") {
				a.fail("%s is %q", name, value)
			}
		}
	}
	_, id := options["SCYLLA_USE_METADATA_ID"]
	a.options = &supportedOptions{
		metadataID: id,
		lz4:        slices.Contains(options[compressionOption], lz4Name),
	}
}
