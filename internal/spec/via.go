package spec

import (
	"fmt"
	"slices"
	"strings"
)

// The ways that rows go into a table.
const (
	ViaCQL    = "cql"
	ViaStream = "stream"
	ViaFiles  = "sstables"
)

// The forms in which rows are streamed.
const (
	StreamAuto  = "auto" // whole where that can be
	StreamRows  = "rows"
	StreamWhole = "whole"
)

var streamForms = []string{StreamAuto, StreamRows, StreamWhole}

// checkVia refuses settings that mean nothing on the way that was chosen.
func (o *Load) checkVia(continued bool) error {
	if !slices.Contains(o.ways, o.Via) {
		last := len(o.ways) - 1
		return fmt.Errorf(
			"--via %q: must be %s or %s",
			o.Via,
			strings.Join(o.ways[:last], ", "),
			o.ways[last],
		)
	}
	if o.Via != ViaFiles && o.Given["dir"] {
		return fmt.Errorf("--dir requires --via %s", ViaFiles)
	}
	if err := o.checkOffline(continued); err != nil {
		return err
	}
	if err := o.checkImport(o.Given); err != nil {
		return err
	}
	if err := o.checkVersion(); err != nil {
		return err
	}
	if o.Via == ViaCQL {
		const either = ViaStream + " or " + ViaFiles
		for _, of := range []struct {
			name  string
			given bool
			via   string
		}{
			{"slice", o.Slice != 0, ViaStream}, {StoragePortFlag, o.StoragePort != 0, ViaStream},
			{"internode-ssl", o.Internode.On, ViaStream}, {"stream", o.Stream != StreamAuto, ViaStream},
			{"temp-dir", o.TempDir != "", either}, {"ignore-hosts", len(o.IgnoreHosts) > 0, either},
			{"append-collections", o.AppendCollections, either},
			{"listen", o.Listen != "", either}, {"assume-stable", o.AssumeStable, either},
		} {
			if of.given {
				return fmt.Errorf("--%s requires --via %s", of.name, of.via)
			}
		}
		return nil
	}
	if o.Slice != 0 && o.Slice < MinSlice {
		return fmt.Errorf("--slice %s: must be at least 1MiB", o.Slice.String())
	}
	if err := o.checkForm(); err != nil {
		return err
	}
	if o.IfNotExists {
		return fmt.Errorf(
			"--if-not-exists: a lightweight transaction is a matter of CQL, and --via %s goes past it",
			o.Via,
		)
	}
	if err := o.refuseDC(o.DC); err != nil {
		return err
	}
	if err := o.checkStream(o.Via); err != nil {
		return err
	}
	// What was typed for this load is meant for it; what a file says for all is not.
	one := []string{
		"ingestrate",
		"target-p99",
		"inflight",
		"minbatchsize",
		"maxbatchsize",
		"maxattempts",
		"cores",
		"repeat-in-doubt",
	}
	if err := o.refuseTyped(o.Given, one, "sends no rows one by one"); err != nil {
		return err
	}
	if !continued && o.RejectsOf == "" { // else the level is that of the record, which each run has
		if err := o.refuseTyped(o.Given, []string{ConsistencyFlag}, whyNoLevel(o.Via)); err != nil {
			return err
		}
	}
	if o.Via == ViaFiles {
		if err := o.refuseTyped(
			o.Given,
			[]string{"slice"},
			"makes one slice of all rows",
		); err != nil {
			return err
		}
		return o.checkFiles(o.Given, continued)
	}
	return nil
}

// whyNoLevel returns why a load by streaming takes no consistency level.
func whyNoLevel(via string) string {
	if via == ViaFiles {
		return "writes SSTables for all replicas"
	}
	return "waits for all replicas of each row"
}
