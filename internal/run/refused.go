package run

// RefusedError says why a run that was begun cannot go on.
type RefusedError struct{ Err error }

// Error is the reason.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap gives the reason.
func (e *RefusedError) Unwrap() error { return e.Err }

// Refused marks the reason why a run that was begun cannot go on; nil stays nil.
func Refused(err error) error {
	if err == nil {
		return nil
	}
	return &RefusedError{err}
}
