package spec

import "time"

// DoctorPatience is the default time limit of each check of a doctor run.
const DoctorPatience = 10 * time.Second

// NewDoctor returns the defaults of a doctor run for which the user named no command. They are
// those of a load, but for the patience, and for loads to files, which meet no cluster.
func NewDoctor() *Load {
	settings := NewLoad()
	settings.Writing = NewWriting(ViaCQL, ViaStream)
	settings.Patience = DoctorPatience
	return settings
}
