package ingest

// leftOut is the part of an input that is most likely not read, because an earlier run completed
// it.
type leftOut struct {
	text   int64 // bytes of its text
	stored int64 // bytes of the input as it is stored
}

// CountEarlier counts what earlier runs have done, as far as that is known before the inputs are
// read. So the counters of a resumed run start where the earlier run ended. [Job.Run] calls it
// before it counts anything else. A caller that shows the counters earlier may call it too.
func (j *Job) CountEarlier() {
	if j.left == nil {
		j.left = make(map[int]leftOut)
		for i := range j.Inputs {
			if left := j.leftOut(i); left != (leftOut{}) {
				j.left[i] = left
			}
		}
	}
	var all leftOut
	for _, left := range j.left {
		all.text, all.stored = all.text+left.text, all.stored+left.stored
	}
	t, c := j.Journal.EarlierTotals(), j.Counters
	c.Rows.Store(t.Written)
	c.Earlier.Store(t.Written)
	c.Rejected.Store(t.Rejected())
	c.Bytes.Store(all.text)
	c.EarlierBytes.Store(all.text)
	c.Done.Store(all.stored)
	c.Before.Store(all.stored)
}

// readsWhole reports whether an input is read from its beginning, whatever earlier runs have
// completed. Records that are counted are counted from the first one.
func (j *Job) readsWhole(input Input) bool {
	return input.Compare || j.SkipRows > 0 || j.MaxRows > 0 || len(input.Stamps) > 0
}

func (j *Job) leftOut(index int) leftOut {
	input := j.Inputs[index]
	from, completed := j.Journal.ResumePoint(index)
	switch {
	case j.readsWhole(input):
		return leftOut{}
	case completed:
		return leftOut{j.Journal.Seen(index), max(input.Size, 0)}
	case input.Plain && from.Line > 0 && j.skips(input, from.Offset):
		return leftOut{from.Offset, from.Offset}
	default:
		return leftOut{}
	}
}

// skips reports whether a plain input can be read from a byte of its text on. A compressed one
// cannot.
func (j *Job) skips(i Input, offset int64) bool {
	in, err := j.open(i)
	if err != nil {
		return false // the run returns the error
	}
	skipped, err := skip(in, offset)
	return in.Close() == nil && err == nil && skipped
}

// countEarlierPart counts a part of an input that an earlier run has completed.
func (r *run) countEarlierPart(part leftOut) {
	r.job.Counters.Bytes.Add(part.text)
	r.job.Counters.EarlierBytes.Add(part.text)
	r.job.Counters.Done.Add(part.stored)
	r.job.Counters.Before.Add(part.stored)
}
