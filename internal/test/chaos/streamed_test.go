package chaos

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// streamed runs the schedule of a load by streaming.
func (s *schedule) streamed() {
	r := stream(s.seed, "streamed")
	s.weather = s.openPorts(r, false)
	of := &shapes[r.IntN(len(shapes))]
	for of.counter {
		of = &shapes[r.IntN(len(shapes))]
	}
	l := s.draw(r, of)
	s.ports.open(s.cluster)
	s.Cleanup(s.ports.close) // before the cluster is
	l.args = append(
		l.args,
		"--via",
		"stream",
		"--stream",
		[]string{"auto", "rows", "whole"}[r.IntN(3)],
		"--patience",
		"10s",
	)
	l.drawLimit(r)

	last := l.untilDone()
	kept := s.keptIn(l.runDir(), l.in.places, l.in.headers)
	totals.rejected.Add(int64(kept.of(atParse, atInsert)))
	totals.streams.Add(int64(len(s.cluster.Streams())))
	require.Zero(s, kept.of(atInsert, inDoubt), "streamed rows were refused, or are in doubt")
	l.checkKept(kept)
	l.checkStreams(kept)
	l.checkEnd(last, l.runDir(), l.in.records, kept)
	l.checkState(kept)
}

// streamedCell is what a node has in one place.
type streamedCell struct {
	at        token.Token
	value     string
	null      bool
	timestamp int64
}

// openPorts draws the storage ports of the cluster, which are sent rows or asked for them, and the
// weather of such a schedule.
func (s *schedule) openPorts(r *rand.Rand, asked bool) weather {
	s.ports = newPorts(stream(s.seed, "ports"), asked)
	s.ports.left, s.ports.rate = r.IntN(12), 0.02+0.2*r.Float64()
	// A node that fails when the program looks for it, or for long, ends that run.
	w := weather{cluster: drawCluster(s.seed, r), attempts: enough, hard: s.ports.left > 0}
	w.cluster.Shards, w.cluster.Tablets, w.cluster.PageBytes, w.cluster.Release, w.cluster.Storage = 0, 0, 0, "", s.ports.of
	return w
}

// checkStreams says that each replica was sent each row that stands, with one timestamp however
// often, and that the replicas have the same.
func (l *loading) checkStreams(k *kept) {
	id := l.in.shape.columns[l.in.shape.id].Name
	nodes := make(map[int]map[string]streamedCell)
	stamps := make(map[int64]int64)
	var lost, twice []int64
	for _, stream := range l.cluster.Streams() {
		cells := nodes[stream.Node]
		if cells == nil {
			cells = make(map[string]streamedCell)
			nodes[stream.Node] = cells
		}
		for _, a := range stream.Applied {
			if len(a.Sets) == 0 {
				a.Sets = []simcluster.AppliedSet{{}} // the row is there
			}
			for _, set := range a.Sets {
				place := placeOf(a.Key, a.Clustering, set.Column)
				now := streamedCell{
					at:        a.Token,
					value:     string(set.Value),
					null:      set.Value == nil,
					timestamp: a.Timestamp,
				}
				switch was, known := cells[place]; {
				case !known || was.timestamp < now.timestamp:
					cells[place] = now
				case was.timestamp == now.timestamp:
					require.Equal(l, was, now, "%s was written twice with one timestamp", place)
				}
				if set.Column != id {
					continue
				}
				n := int64(binary.BigEndian.Uint64(set.Value))
				if first, known := stamps[n]; known && first != a.Timestamp {
					twice = append(twice, n)
				}
				stamps[n] = a.Timestamp
			}
		}
	}
	standing := make(map[string]*record)
	for _, rec := range l.in.records {
		if k.stages[rec] == "" {
			standing[rec.key(l.in.shape.whole)] = rec
		}
	}
	before := int64(0)
	for _, rec := range l.in.records {
		if at, seen := stamps[rec.id]; seen {
			require.Empty(l, k.stages[rec], "record %d was rejected, and yet written", rec.id)
			require.Greater(l, at, before, "record %d does not come after those before it", rec.id)
			before = at
		}
		delete(stamps, rec.id)
		if standing[rec.key(l.in.shape.whole)] != rec {
			continue
		}
		wires := rec.wires(l.in.shape.whole)
		place := placeOf(wires[:l.in.shape.keys], wires[l.in.shape.keys:], id)
		want := string(rec.values[l.in.shape.id].wire)
		for _, replica := range l.cluster.Replicas(rec.token(l.in.shape)) {
			if nodes[replica.Node][place].value != want {
				lost = append(lost, rec.id)
			}
		}
	}
	totals.lost.Add(int64(len(lost)))
	totals.twice.Add(int64(len(twice)))
	require.Empty(l, lost, "records are not on all replicas")
	require.Empty(l, twice, "records were written with two timestamps")
	require.Empty(l, stamps, "records were written that were not to be loaded")
	for _, cells := range nodes {
		for place, cell := range cells {
			for _, replica := range l.cluster.Replicas(cell.at) {
				require.Equal(
					l,
					cell,
					nodes[replica.Node][place],
					"%s differs on node %d",
					place,
					replica.Node,
				)
			}
		}
	}
}

func placeOf(key, clustering [][]byte, column string) string {
	return fmt.Sprintf("%x %x %s", key, clustering, column)
}
