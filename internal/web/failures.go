package web

// failure is a reason for which token ranges failed, with the first of them.
type failure struct {
	Reason string
	Count  int64
	Ranges []string
}

// failuresShown is the number of reasons in a report, and rangesShown that of token ranges of each.
const (
	failuresShown = 20
	rangesShown   = 4
)

// failuresOf groups token ranges that failed by their reasons, in their order, because one node
// that is down may fail thousands. It also returns the number of ranges with other reasons.
func failuresOf(all []FailedRange) (shown []failure, less int64) {
	at := make(map[string]int)
	for _, f := range all {
		i, known := at[f.Reason]
		if !known {
			if len(shown) == failuresShown {
				less++
				continue
			}
			i = len(shown)
			at[f.Reason] = i
			shown = append(shown, failure{Reason: f.Reason})
		}
		shown[i].Count++
		if len(shown[i].Ranges) < rangesShown {
			shown[i].Ranges = append(shown[i].Ranges, f.Range)
		}
	}
	return shown, less
}

// Less returns the number of ranges that are not shown.
func (f failure) Less() int64 { return f.Count - int64(len(f.Ranges)) }

// Failures returns the reasons for which token ranges failed.
func (r Report) Failures() []failure {
	shown, _ := failuresOf(r.Failed)
	return shown
}

// LessFailures returns the number of ranges that failed for other reasons.
func (r Report) LessFailures() int64 {
	_, less := failuresOf(r.Failed)
	return less
}
