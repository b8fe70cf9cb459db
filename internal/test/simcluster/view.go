package simcluster

// view is a row as a SELECT sees it: a row of a partition, or, without one, the static columns of a
// partition without rows.
type view struct {
	p *partition
	l *line
}

// cell is the content of a column. The cells of a key have no timestamp.
func (v view) cell(c *tableColumn) cell {
	switch {
	case c.kind == PartitionKey:
		return cell{value: v.p.key[c.slot]}
	case c.kind == Static:
		return v.p.static[c.slot]
	case v.l == nil:
		return cell{}
	case c.kind == Clustering:
		return cell{value: v.l.cluster[c.slot]}
	default:
		return v.l.cells[c.slot]
	}
}

// each calls f for the rows of the partition from a line on, until it says false.
func (p *partition) each(from int, f func(view) bool) bool {
	some := false
	for i, l := range p.lines {
		if !l.live() {
			continue
		}
		some = true
		if i >= from && !f(view{p, l}) {
			return false
		}
	}
	if !some && from == 0 && anyLive(p.static) {
		return f(view{p, nil})
	}
	return true
}
