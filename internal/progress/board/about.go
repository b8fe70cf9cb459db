package board

// About describes a run. Its fields do not change while the run lasts. Empty ones are unknown.
type About struct {
	Line string `json:"command_line,omitempty"` // as typed
	// scan, load, count or clone; also the work of resume and retry
	Work        string   `json:"work,omitempty"`
	Via         string   `json:"via,omitempty"`         // cql, stream or sstables
	Cluster     string   `json:"cluster,omitempty"`     // name
	DC          string   `json:"dc,omitempty"`          // data center that requests go to
	Consistency string   `json:"consistency,omitempty"` // level of the requests
	Inputs      []string `json:"inputs,omitempty"`      // paths of up to filesShown files
	MoreInputs  int      `json:"more_inputs,omitempty"` // number of files that are not in Inputs
	Output      string   `json:"output,omitempty"`      // path of a file or a folder
	DryRun      bool     `json:"dry_run,omitempty"`     // nothing is written
}

// filesShown is the number of inputs that a page lists.
const filesShown = 8

// SetInputs sets the paths of the inputs.
func (a *About) SetInputs(paths []string) {
	shown := min(len(paths), filesShown)
	a.Inputs, a.MoreInputs = append([]string{}, paths[:shown]...), len(paths)-shown
}

// ShowAbout sets the description of the run.
func (b *Board) ShowAbout(a About) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.about = a
}

// ShowNext shows the command that resumes the run if it stops.
func (b *Board) ShowNext(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next = line
}

// fill sets the description of the run as a whole.
func (b *Board) fill(s *State) {
	b.mu.Lock()
	line := s.About.Line
	s.About, s.Next = b.about, b.next
	b.mu.Unlock()
	if s.About.Line == "" {
		s.About.Line = line
	}
}

// Typed sets the command line of the run.
func (w *Watch) Typed(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line = line
}

// Advise sets what to do after the end: a command line, empty for none, and files to edit before
// it.
func (w *Watch) Advise(next string, edit []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.advice, w.edit = &next, edit
}

// fillAboutLocked sets what is known of the run as a whole.
func (w *Watch) fillAboutLocked(s *State) {
	s.About.Line = w.line
	if w.board != nil {
		w.board.fill(s)
	}
	if w.advice != nil {
		s.Next, s.Edit = *w.advice, w.edit
	}
}
