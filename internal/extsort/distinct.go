package extsort

// distinct tells about how many different numbers it has seen, within some percents, where numbers are hashes: it keeps those
// whose lowest bits are zero, and asks one bit more each time that there are too many of them (M. Wegman's adaptive sampling:
// P. Flajolet, "On adaptive sampling", Computing 43, 1990).
type distinct struct {
	mask uint64
	kept map[uint64]struct{}
}

// mostKept is how many numbers are kept, at most: the estimate is off by some 1.2 / sqrt(mostKept).
const mostKept = 4096

func (d *distinct) see(number uint64) {
	if number&d.mask != 0 {
		return
	}
	if d.kept == nil {
		d.kept = make(map[uint64]struct{})
	}
	d.kept[number] = struct{}{}
	for len(d.kept) > mostKept {
		d.mask = d.mask<<1 | 1
		for n := range d.kept {
			if n&d.mask != 0 {
				delete(d.kept, n)
			}
		}
	}
}

func (d *distinct) count() int64 { return int64(len(d.kept)) * int64(d.mask+1) }
