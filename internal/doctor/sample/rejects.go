package sample

import (
	"maps"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// noteRejects adds facts about the rejected rows to a sample: the reasons, the settings that would
// accept them, and words for null.
func noteRejects(s *doctor.Sample, rejects []ingest.Reject, job *ingest.Job) {
	s.Why = causesOf(rejects)
	for _, c := range s.Why {
		if _, hint, found := strings.Cut(c.Reason, ingest.OtherDelimiter); found {
			s.Otherwise, s.Hint = true, ingest.OtherDelimiter+hint
		}
	}
	for _, r := range rejects {
		s.Settings = joined(s.Settings, r.Settings)
		if r.Guess != "" && !strings.Contains(s.Guess, r.Guess) {
			s.Guess = strings.TrimPrefix(s.Guess+"; "+r.Guess, "; ")
		}
		for _, value := range badValues(r, job.Table) {
			if text, isString := StringOf(value); job.Format.Named() && isString {
				value = text
			}
			if word := doctor.NullWord(value); word != "" {
				if s.Nulls == nil {
					s.Nulls = make(map[string]int64)
				}
				s.Nulls[word]++
			}
		}
	}
	keepMapped(s.Settings)
}

// joined adds settings to others. It joins lists of fields.
func joined(all map[string][]string, more ingest.Settings) map[string][]string {
	if all == nil {
		return maps.Clone(more)
	}
	for name, texts := range more {
		for _, text := range texts {
			list := name == "map" || name == "skipcols"
			if had := all[name]; len(had) == 0 || list && !slices.Contains(had, text) {
				all[name] = append(slices.Clone(had), text)
			}
		}
	}
	return all
}

// keepMapped removes fields from --skipcols that --map has as well, for other objects.
func keepMapped(settings map[string][]string) {
	const skip = "skipcols"
	skipped := slices.DeleteFunc(slices.Clone(settings[skip]), func(name string) bool {
		return slices.ContainsFunc(
			settings["map"],
			func(pair string) bool { return strings.HasPrefix(pair, name+"=") },
		)
	})
	if len(skipped) > 0 {
		settings[skip] = skipped
	} else {
		delete(settings, skip)
	}
}

// badValues returns the invalid values of a row, but not those of its key, which is never null.
func badValues(r ingest.Reject, t *schema.Table) []string {
	key := func(column string) bool {
		return slices.ContainsFunc(
			t.Columns,
			func(c schema.Column) bool { return c.Name == column && c.IsKey() },
		)
	}
	var out []string
	if r.Column != "" && !key(r.Column) {
		out = append(out, r.Value)
	}
	for _, f := range r.More {
		if !key(f.Column) {
			out = append(out, f.Value)
		}
	}
	return out
}

// causesOf returns the reasons of rejects, the most frequent first.
func causesOf(rejects []ingest.Reject) (out []doctor.Cause) {
	var causes reject.Causes
	slices.SortStableFunc(rejects, func(a, b ingest.Reject) int { return int(a.Line - b.Line) })
	for _, r := range rejects {
		causes.Add(r)
	}
	for _, c := range causes.List() {
		out = append(
			out,
			doctor.Cause{
				Rows:   c.Rows,
				Line:   c.First.Line,
				Column: c.First.Column,
				Value:  c.First.Value,
				Reason: c.First.Reason,
			},
		)
	}
	return out
}
