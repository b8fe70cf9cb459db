package spec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Clone says which table is cloned, and from where.
type Clone struct {
	Connection // of the cluster with the clone
	TableName  // the clone's
	Writing
	From  CloneSource
	Given setting.Given // never nil
}

// CloneSource is what is cloned: a table of another cluster, or the SSTables in folders.
type CloneSource struct {
	Connection        // of the other cluster; without hosts there is none
	TableName         // there, or in the folders; empty: as the clone's
	Reading           // Inputs are the folders; Via and TempDir follow from the rest
	BeginToken string // clone only what comes after it
	EndToken   string // clone only up to it, itself included
}

// fromPrefix is that of the settings of the cluster that is read.
const fromPrefix = "from-"

// NewClone has the defaults.
func NewClone() *Clone {
	o := &Clone{
		Connection: NewConnection(CloneConsistency),
		Writing:    NewWriting(ViaStream, ViaFiles),
		Given:      setting.Given{},
	}
	o.From.Connection = NewConnection("")
	o.From.Hosts, o.From.Prefix, o.From.TLS.Files.Prefix = nil, fromPrefix, fromPrefix
	o.From.Internode, o.From.Reading.prefix = newInternode(), fromPrefix
	o.From.Internode.Files.Prefix = fromPrefix + o.From.Internode.Files.Prefix
	return o
}

// Settings names the fields.
func (o *Clone) Settings() setting.List {
	return slices.Concat(
		o.From.fileSettings(),
		o.From.streamSettings(),
		o.From.Connection.settings(),
		setting.List{
			{Name: "begintoken", Field: &o.From.BeginToken},
			{Name: "endtoken", Field: &o.From.EndToken},
		},
		o.Writing.settings(),
		o.Connection.settings(),
	)
}

// fileSettings are those of a clone of folders.
func (s *CloneSource) fileSettings() setting.List {
	return setting.List{
		{
			Name:  "snapshot",
			Field: &s.Snapshot,
		},
		{Name: "schema", Field: &s.Schema, Use: setting.Path},
		{Name: "ring", Field: &s.Ring, Use: setting.Path},
		{Name: IgnoreCommitLogFlag, Field: &s.IgnoreCommitLog},
	}
}

// streamSettings are those of a clone of a table of another cluster, besides the connection to it.
func (s *CloneSource) streamSettings() setting.List {
	return append(setting.List{
		{Name: s.PortFlag(), Field: &s.StoragePort},
		{Name: "slice", Field: &s.Slice},
	}, s.Internode.settings()...)
}

// Check refuses what does not go together, and fills in what follows from the rest.
func (o *Clone) Check() error {
	if !slices.Contains(o.ways, o.Writing.Via) {
		return fmt.Errorf(
			"--via %q: must be %s or %s: a query can write no tombstone as it was",
			o.Writing.Via,
			ViaStream,
			ViaFiles,
		)
	}
	if err := o.checkSource(); err != nil {
		return err
	}
	for _, err := range []error{
		o.Writing.check(), o.Writing.checkImport(o.Given), o.checkVersion(),
		o.checkForm(), o.refuseDC(o.Connection.DC), o.Connection.checkStream(o.Writing.Via),
	} {
		if err != nil {
			return err
		}
	}
	switch {
	case o.Patience <= 0:
		return fmt.Errorf("--patience %s: must be more than 0", o.Patience)
	case o.Writing.Via == ViaFiles:
		return o.checkFiles(o.Given, false)
	case o.Given["dir"]:
		return fmt.Errorf("--dir requires --via %s", ViaFiles)
	default:
		return nil
	}
}

// checkSource refuses settings of one source that mean nothing with the other.
func (o *Clone) checkSource() error {
	s := &o.From
	var idle setting.List
	var why string
	if err := refuseURLs(o.Settings(), "", s.Inputs); err != nil {
		return err
	}
	switch {
	case len(s.Inputs) > 0 && len(s.Hosts) > 0:
		return errors.New("--from-hosts: means nothing where folders are named to be cloned")
	case len(s.Inputs) > 0:
		idle = append(s.streamSettings(), s.Connection.settings()...)
		why = "where folders are named to be cloned"
		s.Reading.Via = ViaFiles
	case len(s.Hosts) > 0:
		idle, why = s.fileSettings(), "with --from-hosts"
		s.Reading.Via = ViaStream
	default:
		return errors.New(
			"nothing is named to be cloned: name folders with SSTables after the table, or the cluster that has it with --from-hosts",
		)
	}
	for _, one := range idle {
		if o.Given[one.Name] {
			return fmt.Errorf("--%s: means nothing %s", one.Name, why)
		}
	}
	if err := s.checkStreamed(); err != nil {
		return err
	}
	s.Listen = o.Listen
	s.Consistency, s.Timeout = o.Consistency, o.Timeout
	s.Connections, s.Frames = o.Connections, o.Frames
	s.Keyspace = cmp.Or(s.Keyspace, o.Keyspace)
	s.Table = cmp.Or(s.Table, o.Table)
	s.TempDir = o.Writing.TempDir
	return nil
}

// Planning is the plan of what is read.
func (s *CloneSource) Planning() (plan.Options, error) {
	p := newPlanning()
	p.BeginToken, p.EndToken = s.BeginToken, s.EndToken
	return p.Options(s.TableName)
}
