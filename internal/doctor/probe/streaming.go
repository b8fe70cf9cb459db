package probe

import (
	"context"
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/write/delivery"
)

// Streaming asks whether the table's rows can bypass CQL, and in what form.
func (c *Cluster) Streaming(ctx context.Context) doctor.Streaming {
	command := c.command
	s := doctor.Streaming{Via: command.bypassed()}
	options, err := c.Table.Options(ctx)
	if err != nil {
		s.Hidden = err
		return s
	}
	if command.Scan != nil {
		t := *c.Table
		t.KnownOptions = options
		s.Refused, s.How = t.RefuseStreamOut(), "its SSTables can be read without CQL"
		return s
	}
	writing := command.Load.Writing
	if writing.Via == spec.ViaCQL {
		writing.Via = spec.ViaStream
	}
	l := delivery.Delivery{Env: command.Env, Spec: &writing, Table: c.Table}
	setup, err := l.Outline(ctx, options)
	if err != nil {
		s.Refused = err
		return s
	}
	if s.Unfit = l.IgnoreHosts(setup); s.Unfit != nil {
		return s
	}
	how, err := c.deliveryForm(ctx, &l, setup)
	if err != nil {
		s.Unfit, s.Do = err, "leave --stream out"
		if writing.Via == spec.ViaFiles {
			s.Do = "leave --via out"
		}
		return s
	}
	s.How, s.Notes = "rows can bypass CQL, "+how, delivery.PassedBy(options, writing.Via, setup.Method)
	return s
}

// deliveryForm returns the form in which a load would deliver SSTables. It depends on the version
// of SSTables that the nodes write, which only their storage ports report.
func (c *Cluster) deliveryForm(
	ctx context.Context,
	l *delivery.Delivery,
	s *delivery.Setup,
) (string, error) {
	var silent []string
	if l.Spec.Via == spec.ViaStream {
		writesNB, holders := c.ports(ctx).WritesNB, s.Holders()
		for _, n := range c.Table.Cluster.Nodes {
			switch nb, answered := writesNB[n.ID]; {
			case !holders[n.ID]:
			case !answered && table.ReleaseOf(n.Version).Before(table.Release{5}):
				// Cassandra 4 writes no other version than nb.
			case !answered:
				silent = append(silent, n.Address)
			case !nb:
				s.OtherVersions = append(s.OtherVersions, n.Address)
			}
		}
		slices.Sort(s.OtherVersions)
	}
	form, err := l.ChooseForm(s.TableOptions, s.Options.Version, s.OtherVersions)
	switch {
	case err != nil:
		return "", err
	case l.Spec.Via == spec.ViaFiles:
		return fmt.Sprintf("made SSTables of version %s", s.Options.Version), nil
	case form.Why != "":
		return "one by one: " + form.Why, nil
	case form.Whole == nil:
		return "one by one, as --stream " + spec.StreamRows + " says", nil
	case len(silent) > 0:
		return "SSTables are sent whole, unless " + silent[0] +
			", whose storage port was not reached, writes another version than nb", nil
	default:
		return "SSTables are sent whole", nil
	}
}
