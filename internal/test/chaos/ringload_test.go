package chaos

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// ringLoad runs the schedule of a load, by streaming or, one of five, by CQL.
func (s *schedule) ringLoad() {
	r := stream(s.seed, "ring load")
	byCQL := chance(r, 5)
	of := &ringShapes[r.IntN(len(ringShapes))]
	for byCQL && of.list > 0 { // rows with lists that a kill left in doubt are not written again
		of = &ringShapes[r.IntN(len(ringShapes))]
	}
	s.openRing(false)
	l := s.draw(r, of)
	s.ports.open(s.cluster)
	s.Cleanup(s.ports.close) // before the cluster is
	if byCQL {
		// A node that is to be replaced is down for as long as that takes.
		l.args = append(
			l.args,
			"--maxattempts",
			fmt.Sprint(enough),
			"--consistency",
			"ONE",
			"--patience",
			"5s",
		)
	} else {
		totals.streamed.Add(1)
		form := []string{"auto", "rows", "whole"}[r.IntN(3)]
		l.args = append(
			l.args,
			"--via",
			"stream",
			"--stream",
			form,
			"--listen",
			"127.0.0.1:0",
			"--patience",
			"2s",
		)
		if chance(r, 2) {
			l.args = append(l.args, "--slice", "1MiB")
		}
	}
	ttl := 0
	if chance(r, 2) {
		ttl = 100_000 + r.IntN(1000)
		l.args = append(l.args, "--ttl", fmt.Sprint(ttl))
	}
	l.drawLimit(r)
	ring := s.newScript(s.cluster, s.ports, "ring")

	last := l.untilDone()
	ring.finish()
	kept := s.keptIn(l.runDir(), l.in.places, l.in.headers)
	totals.rejected.Add(int64(kept.of(atParse, atInsert)))
	totals.streams.Add(int64(len(s.cluster.Streams())))
	if !byCQL {
		require.Zero(s, kept.of(atInsert, inDoubt), "streamed rows were refused, or are in doubt")
	}
	l.checkKept(kept)
	l.checkEnd(last, l.runDir(), l.in.records, kept)
	s.checkHeld(s.cluster)
	if kept.of(atInsert) == 0 {
		l.checkState(kept)
	} else if l.retried(kept) { // a node left that rows were meant for
		l.retry(kept)
		s.checkHeld(s.cluster)
	}
	s.checkExpiry(ttl)
}

// ringShapes are those without counters, and one whose rows make several slices.
var ringShapes = append(
	slices.DeleteFunc(slices.Clone(shapes), func(s shape) bool { return s.counter }),
	shape{
		columns: []simcluster.Column{
			{Name: "p", Kind: simcluster.PartitionKey, Type: "int"},
			{
				Name: "c",
				Kind: simcluster.Clustering,
				Type: "bigint",
				Desc: true,
			},
			{Name: "n", Type: "bigint"},
			{Name: "s", Kind: simcluster.Static, Type: "bigint"},
			{Name: "w", Type: "text"},
		},
		keys: 1, whole: 2, id: 2, wide: 3000,
	},
)

// openRing draws the cluster of a schedule whose ring changes, and its storage ports.
func (s *schedule) openRing(asked bool) {
	drawn := ringCluster(s.seed, stream(s.seed, "ring cluster"))
	s.weather = weather{attempts: enough, hard: true, cluster: drawn}
	s.ports = newPorts(stream(s.seed, "ring ports"), asked)
	s.weather.cluster.Storage = s.ports.of
}

// checkHeld checks that each replica holds what was written to the cluster for its ranges, with the
// same timestamps and expiries.
func (s *schedule) checkHeld(of *simcluster.Cluster) {
	columns := of.Columns(table)
	key := func(r simcluster.Record) string {
		name := ""
		for i, c := range columns {
			if c.Kind == simcluster.PartitionKey || c.Kind == simcluster.Clustering {
				name += fmt.Sprintf("%x ", r.Cells[i].Value)
			}
		}
		return name
	}
	held := make([]map[string]simcluster.Record, len(of.Hosts()))
	for node := range held {
		held[node] = make(map[string]simcluster.Record)
		for _, r := range of.Held(node, table) {
			held[node][key(r)] = r
		}
	}
	lost, bare := 0, 0
	var example string
	for _, r := range of.Records(table) {
		missing, owners := 0, of.Replicas(r.Token)
		for _, owner := range owners {
			if got, ok := held[owner.Node][key(r)]; !ok || !reflect.DeepEqual(got, r) {
				missing++
				example = fmt.Sprintf(
					"node %d of %v lacks (%t) %v, has %v",
					owner.Node,
					owners,
					!ok,
					r,
					got,
				)
			}
		}
		if missing > 0 {
			lost++
		}
		if missing == len(owners) {
			bare++
		}
	}
	totals.lost.Add(int64(lost))
	require.Zero(s, lost, "rows are not on all replicas, %d of them on none: %s", bare, example)
}

// lateness is how late a node may read what a process sent before it was killed.
const lateness = 500 * time.Millisecond

// checkExpiry checks that what nodes were sent expires no earlier than the TTL after the start of
// the process that sent it.
func (s *schedule) checkExpiry(ttl int) {
	early := 0
	for _, stream := range s.cluster.Streams() {
		began := s.processAt(stream.Began.Add(-lateness)).Unix()
		for _, a := range stream.Applied {
			if a.TTL > 0 && a.Expires < began+int64(ttl) {
				early++
			}
			for _, set := range a.Sets {
				require.True(s, set.Value == nil || a.TTL == ttl, "a cell with a TTL of %d", a.TTL)
			}
		}
	}
	totals.early.Add(int64(early))
	require.Zero(s, early, "cells expire early")
}
