package report

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// plan adds the requests of a scan, the nodes they go to, and the estimated amount of data.
func (t *text) plan(p *Plan) {
	how := "of " + human.Of(p.Vnodes, "vnode range")
	if p.Serial != "" {
		how = "the table is read as one"
	}
	if p.Finest > 0 {
		how += fmt.Sprintf(", up to %s if it is large", human.Count(p.Finest))
	}
	t.number(
		"planned",
		human.Count(p.Splits),
		say(human.Noun(p.Splits, "token range")+" of "+p.Table, how),
	)
	t.number(
		"requests",
		human.Count(p.Parallel),
		fmt.Sprintf("at a time, at most, seed %d", p.Seed),
	)
	nodes, down := 0, 0
	for _, n := range p.Nodes {
		if n.DC != p.DC {
			continue
		}
		if nodes++; !n.Up {
			down++
		}
	}
	t.number("nodes", human.Count(nodes), say("of data center "+p.DC, unless0(int64(down), "down")))
	t.number(
		"estimate",
		human.Size(p.Bytes),
		human.Of(p.Partitions, "partition")+", as the nodes estimate",
	)
	byCQL := human.Roughly(duration(p.ByCQL)) + " by CQL"
	streamed := human.Roughly(duration(p.Streamed)) + " by streaming"
	switch {
	case p.ByCQL == 0:
		t.words("time", "not known: the nodes have no estimate of the table yet")
		return
	case p.Streamed == 0:
		t.words("time", byCQL)
		return
	}
	limit, faster := "", ": no great difference"
	if p.NodeLimit > 0 {
		limit = fmt.Sprintf(" (%s/s a node)", human.Size(p.NodeLimit))
	}
	if p.Faster != "" {
		faster = ": " + p.Faster + " is likely faster"
	}
	t.words("time", byCQL+", "+streamed+limit+faster)
}

// inspect adds what SSTables hold, all together.
func (t *text) inspect(i *Inspect) {
	if len(i.SSTables) == 0 && len(i.Failures) == 0 {
		return // they were not looked at
	}
	t.number(
		"inspected",
		human.Count(i.Sum.SSTables),
		say(
			human.Noun(i.Sum.SSTables, "SSTable"),
			unless0(int64(len(i.Failures)), "could not be read"),
		),
	)
	t.number(
		"rows",
		human.Count(i.Sum.Rows),
		fmt.Sprintf("in %s, deleted ones among them", human.Of(i.Sum.Partitions, "partition")),
	)
	t.number(
		"data",
		human.Size(i.Sum.Bytes),
		say(
			"uncompressed",
			human.Size(i.Sum.DataBytes)+" as stored",
			human.Size(i.Sum.FileBytes)+" with all components",
		),
	)
}

// verify adds what was checked, and which rows are there.
func (t *text) verify(v *Verify) {
	how := human.Size(v.Bytes) + " read"
	if v.NoHash {
		how = "of sizes alone"
	}
	t.number(
		"verified",
		human.Count(v.Files),
		fmt.Sprintf(
			"%s, %s, in %s",
			human.Noun(v.Files, "file"),
			how,
			human.Elapsed(duration(v.Seconds)),
		),
	)
	first, others := v.Sets[0], int64(len(v.Sets)-1)
	switch v.Verdict {
	case "":
		t.number("rows", human.Count(first.Rows), "in "+first.Name)
	case "the same rows":
		t.number(
			"rows",
			human.Count(first.Rows),
			fmt.Sprintf("in %s, the same in %s", first.Name, human.Of(others, "other")),
		)
	default:
		t.words("rows", fmt.Sprintf("%s in %s", v.Verdict, human.Of(others+1, "scan")))
		return
	}
	if first.Checksum != "" {
		t.words("checksum", first.Checksum)
	}
}

// unlike says what of a verification is not as it should be, and what to do.
func (v *Verify) unlike() string {
	all := human.Of(len(v.Findings), "finding")
	if v.Verdict == "different rows" {
		return fmt.Sprintf("different rows, %s in all: scan again what should be the same", all)
	}
	return all + " not as stated: fetch or scan again what is listed"
}

// report adds what a page is of.
func (t *text) report(p *Page) {
	t.number("page", human.Size(p.Bytes), fmt.Sprintf("of the %s of %s", p.Command, p.Table))
	t.words("state", p.State)
}

// settings adds how many settings there are, and how many of them were set.
func (t *text) settings(all []Setting) {
	from := make(map[string]int64)
	for _, s := range all {
		from[s.From]++
	}
	t.number("settings", human.Count(len(all)), say(
		"in force",
		unless0(from["flag"], "by flag"),
		unless0(
			from["environment"],
			"by environment",
		),
		unless0(from["file"], "by file"),
		unless0(from["default"], "by default"),
	))
}
