package reject

// ReadCauses reads why rows were rejected that are kept in the folder at path: those of most rows
// first, none where there are no rejects.
func ReadCauses(path string) ([]Cause, error) {
	d := New(path, "")
	if err := d.recount(); err != nil {
		return nil, err
	}
	return d.Causes(), nil
}
