package extsort

// distinct estimates how many different numbers it has seen, within a few percent. It hashes each
// number, and keeps the hashes whose lowest bits are zero. Each time there are too many of them, it
// requires one more bit (M. Wegman's adaptive sampling: P. Flajolet, "On adaptive sampling",
// Computing 43, 1990).
type distinct struct {
	mask uint64
	kept map[uint64]struct{}
}

// mostKept is the largest number of hashes kept. The estimate is off by about 1.2 / sqrt(mostKept).
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

// mix hashes a number, so that each bit of the result depends on all bits (the finalizer of
// MurmurHash3). That is necessary even if numbers are hashes: an input may be the part of a table
// whose tokens have some bits in common.
func mix(number uint64) uint64 {
	number = (number ^ number>>33) * 0xff51afd7ed558ccd
	number = (number ^ number>>33) * 0xc4ceb9fe1a85ec53
	return number ^ number>>33
}

func (d *distinct) count() int64 { return int64(len(d.kept)) * int64(d.mask+1) }
