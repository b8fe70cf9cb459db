package operation

import "io"

// Inputs returns the names of the inputs, the standard input among them.
func (l *Load) Inputs() []string {
	names := make([]string, len(l.job.Inputs))
	for i, input := range l.job.Inputs {
		names[i] = input.Name
	}
	return names
}

// RejectFiles returns the paths of the files of rejected rows, without those in doubt. There is
// none before the load runs.
func (l *Load) RejectFiles() []string {
	if l.rejects == nil {
		return nil
	}
	return l.rejects.Rejected()
}

// WriteRejects writes the rejected rows, without those in doubt and without header lines, byte for
// byte as in the inputs. Call it after Run.
func (l *Load) WriteRejects(w io.Writer) error {
	if l.rejects == nil {
		return nil
	}
	return l.rejects.WriteRows(w)
}
