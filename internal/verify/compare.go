package verify

import (
	"fmt"
	"slices"
	"strings"
)

// compareSets groups the manifests into sets, and compares those.
func (r *Report) compareSets(accounts []*account) {
	var shards []*account
	at := 0 // where the set of the shards belongs
	for _, a := range accounts {
		switch {
		case a.shard.Of == 0:
			r.Sets = append(r.Sets, Set{
				Name: plain(a.path), Rows: a.m.Rows, Sum: a.sum, Summed: a.summed,
				columns: columns(a), sound: len(a.findings) == 0,
			})
		case shards == nil:
			at = len(r.Sets)
			fallthrough
		default:
			shards = append(shards, a)
		}
	}
	if len(shards) > 0 {
		r.Sets = slices.Insert(r.Sets, at, r.join(shards))
	}
	for _, s := range r.Sets[1:] {
		r.Verdict = max(r.Verdict, Same)
		r.compare(r.Sets[0], s)
	}
}

// compare compares a set with the first. The verdict over all is that two differ,
// if any two do; else that something is not known, if anything is not.
func (r *Report) compare(first, s Set) {
	var finding string
	verdict := Unknown
	switch {
	case first.columns != s.columns:
		finding = fmt.Sprintf(
			"%s and %s cannot be compared: their columns are not the same",
			first.Name,
			s.Name,
		)
	case first.Given < first.Shards || s.Given < s.Shards:
		finding = fmt.Sprintf(
			"%s and %s cannot be compared: shards are missing",
			first.Name,
			s.Name,
		)
	case first.Rows != s.Rows || first.Summed && s.Summed && first.Sum != s.Sum:
		finding = fmt.Sprintf(
			"different rows: %s in %s, %s in %s",
			first.amount(),
			first.Name,
			s.amount(),
			s.Name,
		)
		verdict = Different
	case !first.Summed || !s.Summed:
		finding = fmt.Sprintf(
			"%s and %s cannot be compared: a checksum is missing",
			first.Name,
			s.Name,
		)
	case first.sound && s.sound:
		return
	}
	if finding != "" {
		r.Findings = append(r.Findings, finding)
	}
	if r.Verdict != Different {
		r.Verdict = verdict
	}
}

// amount is what is compared, in words.
func (s Set) amount() string {
	if !s.Summed {
		return fmt.Sprintf("%d without a checksum", s.Rows)
	}
	return fmt.Sprintf("%d with checksum %s", s.Rows, s.Sum)
}

// columns are those of a manifest, whatever the order of its output: the checksum
// follows the table's.
func columns(a *account) string {
	var list []string
	for _, c := range a.m.Columns {
		list = append(list, fmt.Sprintf("%q %s %s", c.Name, c.Kind, c.Type))
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}
