package ingest

// leftOut is how much of an input is most likely not read, since an earlier run has dealt with it.
type leftOut struct {
	text   int64 // bytes of its text
	stored int64 // bytes of the input as it is stored
}

// CountEarlier counts what earlier runs have done, as far as that is known before the inputs are
// read, so that all that shows the run begins there. [Job.Run] calls it before it counts anything
// else; a caller that shows the run before may call it too.
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

// readsWhole says whether an input is read from its beginning, whatever an earlier run has dealt
// with: where records are counted, it is from the first.
func (j *Job) readsWhole(input Input) bool {
	return input.Compare || j.SkipRows > 0 || j.MaxRows > 0 || len(input.Stamps) > 0
}

func (j *Job) leftOut(index int) leftOut {
	input := j.Inputs[index]
	from, settled := j.Journal.ResumePoint(index)
	switch {
	case j.readsWhole(input):
		return leftOut{}
	case settled:
		return leftOut{j.Journal.Seen(index), max(input.Size, 0)}
	case input.Plain && from.Line > 0 && j.skips(input, from.Offset):
		return leftOut{from.Offset, from.Offset}
	default:
		return leftOut{}
	}
}

// skips says whether a plain input can be taken up at a byte of its text: not one that is
// compressed.
func (j *Job) skips(i Input, offset int64) bool {
	in, err := j.open(i)
	if err != nil {
		return false // the run says so
	}
	skipped, err := skip(in, offset)
	return in.Close() == nil && err == nil && skipped
}

// leaveOut counts a part of an input that an earlier run has dealt with.
func (r *run) leaveOut(part leftOut) {
	r.job.Counters.Bytes.Add(part.text)
	r.job.Counters.EarlierBytes.Add(part.text)
	r.job.Counters.Done.Add(part.stored)
	r.job.Counters.Before.Add(part.stored)
}
