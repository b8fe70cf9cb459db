package cli

import "github.com/cqlbulk/cqlbulk/internal/cli/flagset"

// addPaceFlags adds the flags of the pace of a sweep.
func addPaceFlags(b flagset.Binder) {
	b = b.In(flagset.GroupPace)
	b.Add("memory", "memory to use, at most")
	b.Add("rate", "rows per second, at most (default: no limit)", flagset.Everyday)
	b.Add("max-bytes-per-sec", "bytes per second of values to read, at most (default: no limit)")
	b.Add("target-p99", targetP99Help)
	b.Add(
		"pagesize",
		"rows of a page (default: about 256 KiB); fewer if a rate needs small pages",
	)
	b = b.In(flagset.GroupErrors)
	b.Add("maxattempts", "attempts for a page before what is left of its token range is given up")
	b.Add("patience", patienceHelp)
}

// targetP99Help is the help of the flag of the latency that a run keeps to.
const targetP99Help = "limit for the p99 of small reads on the nodes, such as 10ms. The run slows down to keep it, and prints if it was missed (default: none; only the run's own requests are watched)"

// patienceHelp is the help of the flag that limits the time without an answer, or with only failed
// requests.
const patienceHelp = "how long to wait when no node answers, or every request fails"
