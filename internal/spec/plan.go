package spec

import (
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Plan says what a scan is planned of.
type Plan struct {
	Connection
	TableName
	Planning
	SaveRing string // file to write the cluster to, as a load without it takes it; empty: none
}

// NewPlan has the defaults.
func NewPlan() *Plan {
	return &Plan{Connection: NewConnection(ReadConsistency), Planning: newPlanning()}
}

// Settings names the fields.
func (p *Plan) Settings() setting.List {
	return append(
		append(p.Connection.settings(), p.Planning.settings()...),
		setting.Setting{Name: "save-ring", Field: &p.SaveRing},
	)
}
