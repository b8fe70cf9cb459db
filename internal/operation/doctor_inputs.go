package operation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/reject"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/source"
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
	out = append(out, valueFindings(samples, &spec)...)
	add("estimate", doctor.Estimate(samples, spec.IngestRate))
	return out
}

// valueFindings are what is to be known of names and values besides that they fit.
func valueFindings(samples []doctor.Sample, spec *LoadSpec) (out []doctor.Finding) {
	add := func(name string, findings []doctor.Finding) {
		for _, f := range findings {
			f.Name = name
			out = append(out, f)
		}
	}
	add("names", doctor.Names(samples))
	add("dates", doctor.AsDates(samples, spec.Dialect.DateTimeFormat, spec.Dialect.DateFormat))
	add("numbers", doctor.AsNumbers(samples, spec.Dialect.DecimalSep+spec.Dialect.ThousandsSep != ""))
	add("booleans", doctor.AsTruths(samples, spec.Dialect.BoolStyle != ""))
	add("nulls", doctor.AsNulls(samples, spec.Nulls))
	add("epoch", doctor.Units(samples, spec.Given["timestamp-unit"]))
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
	looked := newLookedAt(in.Name, job)
	one := *job
	looked.watch(&one)
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
			if text, isString := stringOf(value); job.JSON && isString {
				value = text
			}
			if word := doctor.NullWord(value); word != "" {
				if s.Nulls == nil {
					s.Nulls = make(map[string]int64)
				}
				s.Nulls[word]++
			}
		}
	}
	looked.found(&s)
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
