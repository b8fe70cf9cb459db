package reject

// ReadCauses reads the reasons why rows were rejected from the folder at path, most rows first. It
// returns none if there are no rejects.
func ReadCauses(path string) ([]Cause, error) {
	d := New(path, "")
	if err := d.recount(); err != nil {
		return nil, err
	}
	return d.Causes(), nil
}
