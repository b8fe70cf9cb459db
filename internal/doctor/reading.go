package doctor

// Reading has the settings by which a load reads values, as far as the facts about values are
// judged by them.
type Reading struct {
	Copied     bool   // fields are as cqlsh's COPY reads them
	Timestamps string // pattern of timestamps; empty: CQL's form
	Dates      string // pattern of dates; empty: CQL's form
	Marks      Marks  // in numbers
	Truths     bool   // the words for true and false were set
	Nulls      []string
	Unit       string // of timestamps, as the user named it; empty: the user named none
}

// AsValues judges names and values beyond whether they can be read. If the fields are in another
// order than the columns, it judges only the order.
func AsValues(samples []Sample, r Reading) (out []Finding) {
	add := func(name string, findings []Finding) {
		for _, f := range findings {
			f.Name = name
			out = append(out, f)
		}
	}
	add("header", AsOrder(samples, r.Copied))
	if len(out) > 0 && out[0].State == Failure {
		return out
	}
	add("names", Names(samples))
	add("dates", AsDates(samples, r.Timestamps, r.Dates))
	add("numbers", AsNumbers(samples, r.Marks))
	add("booleans", AsTruths(samples, r.Truths))
	add("nulls", AsNulls(samples, r.Nulls))
	add("epoch", Units(samples, r.Unit))
	add("write times", AsStamps(samples))
	return out
}
