package run

// RefusedError is the reason why a run cannot be resumed or retried. All of the reasons are listed
// in internal/operation/refuse.go.
type RefusedError struct{ Err error }

// Error is the reason.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap gives the reason.
func (e *RefusedError) Unwrap() error { return e.Err }

// Refused marks an error as the reason why a run cannot be resumed or retried. It returns nil for
// nil.
func Refused(err error) error {
	if err == nil {
		return nil
	}
	return &RefusedError{err}
}
