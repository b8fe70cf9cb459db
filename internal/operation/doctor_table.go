package operation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/write/delivery"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// tableChecks are those of the table. Where it is not known, that is all there is to say.
func (d *Doctor) tableChecks() []doctor.Check {
	if d.t == nil || d.t.Plan == nil {
		if d.tableErr == nil {
			return nil // there is no connection
		}
		return []doctor.Check{
			doctor.One(
				"table",
				func(context.Context) doctor.Finding { return doctor.Fail("", "%s", oneLine(d.tableErr)) },
			),
		}
	}
	checks := []doctor.Check{doctor.One("table", d.table)}
	if d.offline {
		return checks
	}
	return append(checks,
		doctor.One("replication", d.replicas),
		doctor.Check{Name: "rights", Look: d.rights},
		doctor.One("streaming", d.canStream),
	)
}

// table says what the table is.
func (d *Doctor) table(context.Context) doctor.Finding {
	t := d.t.Schema
	text := fmt.Sprintf(
		"%s, %s, %d of them key",
		t,
		human.Of(len(t.Columns), "column"),
		len(t.OfKind(schema.PartitionKey))+len(t.OfKind(schema.Clustering)),
	)
	if t.IsCounter() {
		text += ", with counters"
	}
	if d.t.Plan.Serial != "" {
		return doctor.Warn("", "%s; it is read as one range: %s", text, d.t.Plan.Serial)
	}
	if t.IsCounter() && d.load != nil {
		return doctor.Warn(
			"look at rows in doubt before you retry",
			"%s: rows are added, and those of a load that is stopped may count twice",
			text,
		)
	}
	return doctor.Fine("%s", text)
}

func (d *Doctor) replicas(context.Context) doctor.Finding {
	return doctor.Replicas(replicationOf(d.t, d.cfg.DC))
}

// Rights that a load or a scan needs.
const (
	mayRead  = "SELECT"
	mayWrite = "MODIFY"
)

func (d *Doctor) rights(ctx context.Context) []doctor.Finding {
	r := doctor.Rights{
		Level: d.cfg.Consistency,
		User:  d.cfg.User,
		Table: d.t.Schema.String(),
		Needs: []string{mayWrite},
	}
	switch {
	case d.past:
		return []doctor.Finding{doctor.Fine("rows bypass CQL, where rights are not checked")}
	case d.scan != nil:
		r.Needs = []string{mayRead}
	case d.alone && len(d.inputs) == 0:
		r.Needs, r.Either = []string{mayRead, mayWrite}, true
	case d.load.IfNotExists:
		r.Needs = []string{mayRead, mayWrite}
	}
	told, err := d.t.Session.Rights(ctx, d.t.Schema.Keyspace, d.t.Schema.Name)
	r.Open, r.Super, r.Granted, r.Hidden = told.Open, told.Super, told.Granted, err
	r.Read = table.Ask(ctx, func() error { return d.readOne(ctx) })
	r.Denied, r.Wrong = driver.Unauthorized(r.Read), fault.ClassOf(r.Read) == fault.Permanent
	if ctx.Err() != nil {
		r.Read = fmt.Errorf("no answer within %s", d.patience)
	}
	return doctor.Allowed(r)
}

// readOne reads next to nothing of the table, at the level and by the condition that are to be.
func (d *Doctor) readOne(ctx context.Context) error {
	key := d.t.Schema.OfKind(schema.PartitionKey)[0]
	selection, err := d.t.Schema.Selectors([]string{key.Name})
	if err != nil {
		return err
	}
	p := d.t.Plan.Partitioner()
	if p == nil {
		return nil // the whole table would be read
	}
	within := token.Range{Start: p.Hash([]byte("a")), End: p.Hash([]byte("a"))}
	within.End.Lo++
	query := driver.Columns(selection)
	if d.scan != nil {
		query.Where, query.AllowFiltering = d.scan.Where, d.scan.AllowFiltering
	}
	page, err := d.t.Session.Reader(d.t.Schema, query, p).Page(ctx, "", within, nil, 1)
	if err == nil {
		page.Close()
	}
	return err
}

// canStream says whether the table's rows can bypass CQL.
func (d *Doctor) canStream(ctx context.Context) doctor.Finding {
	options, err := d.t.Options(ctx)
	if err != nil {
		return doctor.Warn("see whether the nodes hang", "not told what the table is: %v", err)
	}
	if d.scan != nil {
		t := *d.t
		t.KnownOptions = options
		return aside(t.RefuseStreamOut(), d.scan.Via, "its SSTables can be read without CQL", "")
	}
	writing := d.load.Writing
	if writing.Via == spec.ViaCQL {
		writing.Via = spec.ViaStream
	}
	l := delivery.Delivery{Env: d.env, Spec: &writing, Table: d.t}
	s, err := l.Outline(ctx, options)
	if err != nil {
		return aside(err, d.load.Via, "", "")
	}
	if err := l.IgnoreHosts(s); err != nil {
		return doctor.Fail("", "%v", err)
	}
	how, err := d.deliveryForm(ctx, &l, s)
	switch {
	case err != nil && writing.Via == spec.ViaFiles:
		return doctor.Fail("leave --via out", "%v", err)
	case err != nil:
		return doctor.Fail("leave --stream out", "%v", err)
	}
	var note strings.Builder
	for _, n := range delivery.PassedBy(options, writing.Via, s.Method) {
		note.WriteString("; " + n)
	}
	return aside(nil, d.load.Via, "rows can bypass CQL, "+how, note.String())
}

// deliveryForm says in what form a load would bring its rows: as far as storage ports are reached,
// which tell the version that nodes write.
func (d *Doctor) deliveryForm(ctx context.Context, l *delivery.Delivery, s *delivery.Setup) (string, error) {
	var silent []string
	if l.Spec.Via == spec.ViaStream {
		told, holders := d.probe(ctx).WritesNB, s.Holders()
		for _, n := range d.t.Cluster.Nodes {
			switch nb, answered := told[n.ID]; {
			case !holders[n.ID]:
			case !answered && !table.ReleaseOf(n.Version).Before(table.Release{5}): // older ones write no other version
				silent = append(silent, n.Address)
			case !answered:
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
		return "SSTables are sent whole, unless " + silent[0] + ", whose storage port was not reached, writes another version than nb", nil
	default:
		return "SSTables are sent whole", nil
	}
}

// aside says whether the table can be streamed; via is the way that was chosen.
func aside(refused error, via, open, note string) doctor.Finding {
	switch {
	case refused != nil && via == spec.ViaCQL:
		return doctor.Fine("shut, which CQL does not need: %v", refused)
	case refused != nil:
		return doctor.Fail("leave --via out", "--via %s: %v", via, refused)
	case note != "" && via != spec.ViaCQL:
		return doctor.Warn("see whether that is meant", "%s%s", open, note)
	case via == spec.ViaCQL:
		return doctor.Fine("--via stream: %s%s", open, note)
	default:
		return doctor.Fine("%s", open)
	}
}
