package spec

// UsageError is an error of a run that is a matter of usage all the same: nothing was
// done.
type UsageError struct{ Err error }

// Error is the text of the wrapped error.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap gives the wrapped error.
func (e *UsageError) Unwrap() error { return e.Err }
