package ingest

import "sync"

// planned is what the fields of inputs with one header are planned to be.
type planned struct {
	header  []byte // as it stood; empty without one
	seed    uint64 // of the hashes of pieces: the hash of the header
	mapping *Mapping
	view    *view // made by the reader when it first needs it
}

// mostPlanned is the number of columns of the plans that are kept: those of thousands of headers,
// or of one with thousands of columns.
const mostPlanned = 1 << 16

// plans are those of the headers that were seen last, so that a header that many inputs have is
// planned once. It is safe for concurrent use.
type plans struct {
	mu       sync.Mutex
	byHeader map[string]*planned
	columns  int
}

// find returns the plan of a header, or nil.
func (p *plans) find(header []byte) *planned {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byHeader[string(header)]
}

// add keeps a plan, and returns the one to use: another goroutine may have made one of the same
// header.
func (p *plans) add(plan *planned) *planned {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.byHeader[string(plan.header)]; known != nil {
		return known
	}
	cost := len(plan.mapping.Columns) + 1
	if p.byHeader == nil || p.columns+cost > mostPlanned {
		p.byHeader, p.columns = make(map[string]*planned), 0
	}
	p.byHeader[string(plan.header)] = plan
	p.columns += cost
	return plan
}
