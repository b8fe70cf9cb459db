package operation

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/reject"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/target"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// findInputs finds the inputs that are named.
func (d *Doctor) findInputs() {
	if len(d.load.Inputs) == 0 {
		return
	}
	if d.inputs, _, d.missing = source.Find(d.load.Inputs, d.env.Stdin); d.missing == nil && len(d.inputs) == 0 {
		d.missing = errNoFile
	}
}

// What of each input is looked at.
const (
	sampledRows   = 1000
	sampledHead   = 64 << 10
	sampledAtOnce = 4
)

// lookAtInputs reads the first of each input, as the load does where the table is known.
func (d *Doctor) lookAtInputs(ctx context.Context) []doctor.Finding {
	if d.missing != nil {
		var out []doctor.Finding
		for line := range strings.Lines(d.missing.Error()) {
			out = append(out, doctor.Fail("", "%s", strings.TrimSpace(line)))
		}
		return out
	}
	spec := *d.load // which learns the form
	format, err := spec.chooseFormat(d.inputs[0].Name)
	var reading ingest.Reading
	if err == nil {
		reading, err = spec.reading(&format)
	}
	if err != nil {
		return []doctor.Finding{doctor.Fail("", "%s", oneLine(err))}
	}
	var job *ingest.Job
	var unfit []doctor.Finding
	if d.t != nil && d.t.plan != nil {
		l := &Load{landing: landing{env: Environment{Warn: d.said.add}, counters: new(progress.Counters), t: d.t}, spec: spec}
		if err := l.makeJob(ctx, format, reading, d.inputs); err != nil {
			unfit = []doctor.Finding{doctor.Fail("", "%s", oneLine(err))}
		} else {
			job = &l.job.Job
		}
	}
	samples := d.sample(ctx, job)
	out := doctor.Inputs(samples, spec.Format)
	add := func(name string, findings []doctor.Finding) {
		for _, f := range findings {
			f.Name = name
			out = append(out, f)
		}
	}
	add("encoding", doctor.Encoding(samples, reading.Latin1))
	add("header", unfit)
	if job == nil {
		return out
	}
	if !job.JSON {
		add("delimiter", doctor.Delimiter(samples, job.Format.Delimiter))
	}
	add("header", doctor.Fields(samples, job.Header, job.JSON))
	add("rows", doctor.Rows(samples))
	add("dates", doctor.AsDates(samples, spec.Dialect.DateTimeFormat, spec.Dialect.DateFormat))
	if !job.JSON {
		add("numbers", doctor.AsNumbers(samples, spec.Dialect.DecimalSep+spec.Dialect.ThousandsSep != ""))
		add("booleans", doctor.AsTruths(samples, spec.Dialect.BoolStyle != ""))
		add("nulls", doctor.AsNulls(samples, spec.Nulls))
	}
	add("epoch", doctor.Seconds(samples))
	add("estimate", doctor.Estimate(samples, spec.IngestRate))
	return out
}

// sample reads the first of each input; nil: the table is not known.
func (d *Doctor) sample(ctx context.Context, job *ingest.Job) []doctor.Sample {
	samples := make([]doctor.Sample, len(d.inputs))
	var reading errgroup.Group
	reading.SetLimit(sampledAtOnce)
	for i, in := range d.inputs {
		reading.Go(func() error {
			samples[i] = sampleOf(ctx, in, job)
			return nil // which the sample has
		})
	}
	_ = reading.Wait()
	return samples
}

func sampleOf(ctx context.Context, in source.Input, job *ingest.Job) doctor.Sample {
	s := doctor.Sample{Name: in.Name, Size: in.Size}
	if !in.Plain() && (!in.Stdin() || job == nil) {
		s.Pipe = true
		return s
	}
	if job == nil {
		head, err := headOf(in)
		s.Head = head
		s.Do, s.Err = explained(in.Name, err)
		return s
	}
	looked := &lookedAt{codec: job.Fields.Codec, columns: job.Table.Columns}
	one := *job
	one.Fields.Codec = looked.plan
	head := new(heading)
	var opened *source.Reader
	input := ingest.Input{Name: in.Name, Size: in.Size, Plain: in.Plain(), Open: func() (io.ReadCloser, error) {
		r, err := in.Open()
		if err != nil {
			return nil, err
		}
		opened = r
		return &headed{r, head}, nil
	}}
	sampled, err := one.Sample(ctx, input, sampledRows, looked.row)
	s.Head = head.taken()
	var unfit *ingest.MappingError
	switch {
	case errors.As(err, &unfit):
		s.Hint, s.Fit = unfit.Parts()
		s.Settings = unfit.Settings()
		s.Otherwise = strings.HasPrefix(s.Hint, ingest.OtherDelimiter)
		return s
	case err != nil && ctx.Err() != nil:
		s.Err = fmt.Errorf("input %s gave no text in time", in.Name)
		return s
	case err != nil:
		s.Do, s.Err = explained(in.Name, err)
		return s
	}
	s.Rows, s.Bad, s.Text, s.Columns = sampled.Rows, int64(len(sampled.Rejects)), sampled.Text, len(sampled.Columns)
	if s.All = in.Size; opened.Compressed() {
		s.All = textSize(in)
	}
	s.Whole = sampled.Rows < sampledRows && (job.MaxRows == 0 || sampled.Rows < job.MaxRows)
	s.Missing = missingOf(job.Table, sampled.Columns)
	s.Why = causesOf(sampled.Rejects)
	for _, c := range s.Why {
		if _, hint, found := strings.Cut(c.Reason, ingest.OtherDelimiter); found {
			s.Otherwise, s.Hint = true, ingest.OtherDelimiter+hint
		}
	}
	for _, r := range sampled.Rejects {
		s.Settings = joined(s.Settings, r.Settings)
		for _, value := range badValues(r) {
			if word := doctor.NullWord(value); word != "" {
				if s.Nulls == nil {
					s.Nulls = make(map[string]int64)
				}
				s.Nulls[word]++
			}
		}
	}
	if job.JSON {
		looked.rejects(sampled.Rejects)
	}
	s.Dates, s.Early = looked.found()
	s.Values = looked.values()
	return s
}

// joined are settings with further ones; lists of fields are put together.
func joined(all map[string][]string, more ingest.Settings) map[string][]string {
	if all == nil {
		return maps.Clone(more)
	}
	for name, texts := range more {
		for _, text := range texts {
			list := name == "map" || name == "skipcols"
			if had := all[name]; len(had) == 0 || list && !slices.Contains(had, text) {
				all[name] = append(slices.Clone(had), text)
			}
		}
	}
	return all
}

// badValues are the values of a row that no column took.
func badValues(r ingest.Reject) []string {
	var out []string
	if r.Column != "" {
		out = append(out, r.Value)
	}
	for _, f := range r.More {
		out = append(out, f.Value)
	}
	return out
}

// explained says what may be done about an input that cannot be read, and what is wrong with it.
func explained(name string, err error) (do string, wrong error) {
	var form *source.FormError
	if errors.As(err, &form) {
		return form.Do, fmt.Errorf("%s is %s", name, form.What)
	}
	return "", err
}

// compressedHead is how much text of a compressed input tells how much there is of all of it.
const compressedHead = 4 << 20

// textSize is about how much text a compressed input has, by its beginning; below zero: that is not known.
func textSize(in source.Input) int64 {
	if !in.Plain() {
		return -1
	}
	r, err := in.Open()
	if err != nil {
		return -1
	}
	defer func() { _ = r.Close() }()
	text, err := io.Copy(io.Discard, io.LimitReader(r, compressedHead))
	if err != nil || text == 0 {
		return -1
	}
	if text < compressedHead {
		return text
	}
	return int64(float64(in.Size) * float64(text) / float64(r.Consumed()))
}

// headOf is the first text of an input. The error is why it is none.
func headOf(in source.Input) ([]byte, error) {
	r, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return io.ReadAll(io.LimitReader(r, sampledHead))
}

// missingOf are the columns that no field goes to.
func missingOf(t *schema.Table, columns []schema.Column) (missing []string) {
	for _, c := range t.Columns {
		if !slices.ContainsFunc(columns, func(o schema.Column) bool { return o.Name == c.Name }) {
			missing = append(missing, c.Name)
		}
	}
	return missing
}

// causesOf are the reasons of rejects, the commonest first.
func causesOf(rejects []ingest.Reject) (out []doctor.Cause) {
	var causes reject.Causes
	slices.SortStableFunc(rejects, func(a, b ingest.Reject) int { return int(a.Line - b.Line) })
	for _, r := range rejects {
		causes.Add(r)
	}
	for _, c := range causes.List() {
		out = append(out, doctor.Cause{Rows: c.Rows, Line: c.First.Line, Column: c.First.Column, Value: c.First.Value, Reason: c.First.Reason})
	}
	return out
}

// heading is the first text of an input. It is safe for concurrent use: a read that was given up may still go on.
type heading struct {
	mu   sync.Mutex
	text []byte
}

func (h *heading) add(text []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, text[:min(len(text), sampledHead-len(h.text))]...)
}

func (h *heading) taken() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.text)
}

// headed is an input whose first text is kept.
type headed struct {
	*source.Reader
	head *heading
}

func (h *headed) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.head.add(p[:n])
	return n, err
}

// lookedAt is what is noted of the values of an input besides that they fit.
type lookedAt struct {
	codec   func(*cqltype.Type) (ingest.Codec, error) // nil: that of cqltext
	columns []schema.Column
	watches []watched
	noted   []noted
	early   map[string]*doctor.Early
}

// watched is a column of dates.
type watched struct {
	of *cqltype.Type // which is the column's alone
	*doctor.Watch
}

// noted is a column of numbers or of truth values.
type noted struct {
	of *cqltype.Type // which is the column's alone
	*doctor.Noted
}

// hasDates says whether texts of a column stand for days.
func hasDates(t *cqltype.Type) bool { return t.Kind == cqltype.Timestamp || t.Kind == cqltype.Date }

// kindOf says what the texts of a column stand for, of those that other programs write in other ways.
func kindOf(t *cqltype.Type) doctor.Kind {
	switch t.Kind {
	case cqltype.Boolean:
		return doctor.Truth
	case cqltype.Float, cqltype.Double, cqltype.Decimal:
		return doctor.Number
	case cqltype.Tinyint, cqltype.Smallint, cqltype.Int, cqltype.Bigint, cqltype.Varint, cqltype.Counter:
		return doctor.Whole
	}
	return doctor.Other
}

// plan is the codec of a column; that of one with dates, numbers or truth values notes them.
func (l *lookedAt) plan(t *cqltype.Type) (codec ingest.Codec, err error) {
	if l.codec != nil {
		codec, err = l.codec(t)
	} else {
		codec, err = cqltext.Plan(t)
	}
	if err != nil {
		return codec, err
	}
	noting := noticing{Codec: codec}
	if kind := kindOf(t); hasDates(t) {
		w := watched{t, new(doctor.Watch)}
		l.watches = append(l.watches, w)
		noting.note = w.Note
	} else if kind != doctor.Other {
		n := noted{t, doctor.NewNoted(kind)}
		l.noted = append(l.noted, n)
		noting.note = n.Note
	} else {
		return codec, nil
	}
	if own, ok := codec.(interface{ IsNull(text []byte) bool }); ok {
		return noticingNull{noting, own.IsNull}, nil
	}
	return noting, nil
}

// noticing is a codec whose texts are noted.
type noticing struct {
	ingest.Codec
	note func(text []byte, taken bool)
}

func (n noticing) AppendWire(dst, text []byte) ([]byte, error) {
	dst, err := n.Codec.AppendWire(dst, text)
	n.note(text, err == nil)
	return dst, err
}

// noticingNull is one that has a rule of its own for null.
type noticingNull struct {
	noticing
	isNull func(text []byte) bool
}

func (n noticingNull) IsNull(text []byte) bool { return n.isNull(text) }

// rejects notes the dates in values of JSON that were not taken: none that begins with a day or a month is.
func (l *lookedAt) rejects(rejects []ingest.Reject) {
	for _, r := range rejects {
		at := slices.IndexFunc(l.columns, func(c schema.Column) bool { return c.Name == r.Column && hasDates(c.Type) })
		if at < 0 {
			continue
		}
		w := slices.IndexFunc(l.watches, func(w watched) bool { return w.of == l.columns[at].Type })
		if w < 0 {
			l.watches = append(l.watches, watched{l.columns[at].Type, new(doctor.Watch)})
			w = len(l.watches) - 1
		}
		l.watches[w].Note([]byte(strings.Trim(r.Value, `"`)), false)
	}
}

// monthOne is January 1970, in milliseconds: all times of these years are in it, when their seconds are taken for milliseconds.
const monthOne = 31 * 24 * 3600 * 1000

// row notes timestamps that are in January 1970.
func (l *lookedAt) row(columns []schema.Column, r *target.Row) {
	for i, c := range columns {
		cell := r.Cells[i]
		if c.Type.Kind != cqltype.Timestamp || cell.State != row.Set || len(cell.Bytes) != 8 {
			continue
		}
		if l.early == nil {
			l.early = make(map[string]*doctor.Early)
		}
		e := l.early[c.Name]
		if e == nil {
			e = &doctor.Early{Column: c.Name}
			l.early[c.Name] = e
		}
		e.Values++
		if ms := int64(binary.BigEndian.Uint64(cell.Bytes)); 0 < ms && ms < monthOne {
			if e.Early++; e.Early == 1 {
				e.First = strconv.FormatInt(ms, 10)
			}
		}
	}
}

// found is what was noted, in the order of the table's columns.
func (l *lookedAt) found() (dates []doctor.Dates, early []doctor.Early) {
	for _, c := range l.columns {
		for _, w := range l.watches {
			if d, some := w.Dates(c.Name); some && w.of == c.Type {
				d.OfDate = c.Type.Kind == cqltype.Date
				dates = append(dates, d)
			}
		}
		if e := l.early[c.Name]; e != nil && e.Early > 0 {
			early = append(early, *e)
		}
	}
	return dates, early
}

// values are how numbers and truth values are written, in the order of the table's columns.
func (l *lookedAt) values() (out []doctor.Values) {
	for _, c := range l.columns {
		for _, n := range l.noted {
			if v, some := n.Values(c.Name); some && n.of == c.Type {
				out = append(out, v)
			}
		}
	}
	return out
}
