package extsort

// distinct tells about how many different numbers it has seen, within some percents: of each it
// makes a hash, keeps those whose lowest bits are zero, and asks one bit more each time that there
// are too many of them (M. Wegman's adaptive sampling: P. Flajolet, "On adaptive sampling",
// Computing 43, 1990).
type distinct struct {
	mask uint64
	kept map[uint64]struct{}
}

// mostKept is how many numbers are kept, at most: the estimate is off by some 1.2 / sqrt(mostKept).
const mostKept = 4096

func (d *distinct) add(number uint64) {
	number = mix(number)
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

// mix makes another number of each, whose bits depend on all of its bits (the finalizer of
// MurmurHash3). Numbers that are hashes are not enough: an input may be the part of a table whose
// tokens have some bits in common.
func mix(number uint64) uint64 {
	number = (number ^ number>>33) * 0xff51afd7ed558ccd
	number = (number ^ number>>33) * 0xc4ceb9fe1a85ec53
	return number ^ number>>33
}

func (d *distinct) count() int64 { return int64(len(d.kept)) * int64(d.mask+1) }
