package stream

// share updates the part of the slice that was read, sorted and sent. Partitions stand for the rows
// that they were made of. The size of all partitions is estimated from those that were merged.
func (d *delivery) share() {
	merged := d.merged.Load()
	queued := float64(d.queued.Load())
	if merged == 0 || d.whole == 0 || queued == 0 {
		return
	}
	part := min(float64(merged)/float64(d.whole), 1)
	made := min(float64(d.prepared.Load())/queued, 1)
	sorted, sent := 1.0, min(float64(d.sent.Load())/queued, 1)
	switch {
	case d.t.o.Whole == nil: // nodes make the SSTables
	case d.t.o.Local:
		sent = made
	case d.copies: // nothing is sorted: SSTables are made
		sorted = made
	default:
		sorted = (1 + made) / 2
	}
	slice := &d.t.o.Progress.Slice
	if d.copies {
		slice.Read(part)
	}
	slice.Deliver(part*sorted, part*sent)
	if d.copies && part < 1 && sent == 0 {
		return // it is still reading
	}
	total := queued / part
	if ready := d.ready.Load(); ready > 0 && !d.t.o.Local { // in bytes of files
		total *= float64(d.stored.Load()) / float64(ready)
	}
	if plain := d.plain.Load(); plain > 0 { // in bytes of the network, where rows are compressed
		total *= float64(d.wired.Load()) / float64(plain)
	}
	d.t.o.Progress.Stage.Deliver(int64(total*part*sorted), int64(total*part*sent), int64(total))
}
