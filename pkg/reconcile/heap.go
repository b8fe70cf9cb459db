package reconcile

// heap has the source that comes first at its top. It is container/heap without its interfaces.
type heap struct {
	sources []*source
	compare func(a, b *source) int
}

func (h *heap) reset()       { h.sources = h.sources[:0] }
func (h *heap) empty() bool  { return len(h.sources) == 0 }
func (h *heap) top() *source { return h.sources[0] }

// push adds a source.
func (h *heap) push(s *source) {
	h.sources = append(h.sources, s)
	for i := len(h.sources) - 1; i > 0; {
		parent := (i - 1) / 2
		if h.compare(h.sources[i], h.sources[parent]) >= 0 {
			return
		}
		h.sources[i], h.sources[parent] = h.sources[parent], h.sources[i]
		i = parent
	}
}

// pop takes the source at the top off.
func (h *heap) pop() *source {
	top, last := h.sources[0], len(h.sources)-1
	h.sources[0] = h.sources[last]
	h.sources = h.sources[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if h.compare(h.sources[child], h.sources[least]) < 0 {
				least = child
			}
		}
		if least == i {
			return top
		}
		h.sources[i], h.sources[least] = h.sources[least], h.sources[i]
		i = least
	}
}
