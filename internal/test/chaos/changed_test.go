package chaos

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// resent is what a load says that finds the ring changed.
const resent = "what was sent meanwhile is sent again, to where it belongs now"

// If a table changes while rows are streamed, the load ends with the reason, and no row counts as
// loaded; so does its resume. If a node moves, the rows are sent again.
func TestStreamedIntoWhatChanges(t *testing.T) {
	table := simcluster.Table{Keyspace: "ks", Name: "t", Columns: columnsOf("bigint")}
	for name, c := range map[string]struct {
		change        func(*small)
		harm          internodetest.Harm // of the session in which it is changed
		says, resumed string             // resumed is empty if the load is done
	}{
		"the table is dropped": {
			func(s *small) { require.NoError(s, s.Drop("ks.t")) }, internodetest.Fail,
			`table "t" not found`, `table "t" not found`,
		},
		"the table is created again": {
			func(s *small) {
				require.NoError(s, s.Drop("ks.t"))
				require.NoError(s, s.Create(table, 7))
			}, internodetest.Fail,
			"the table was altered, or created again, meanwhile",
			"is not the one that the run began with",
		},
		"a node moves and fails": {
			func(s *small) { require.NoError(s, s.Move(1)) }, internodetest.Fail, resent, "",
		},
		"a node moves and takes all": {
			func(s *small) { require.NoError(s, s.Move(1)) }, "", resent, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &small{T: t, dir: t.TempDir()}
			var changed atomic.Bool
			step := func(at internodetest.Step) internodetest.Harm {
				if at != internodetest.FileEnd || changed.Swap(true) {
					return ""
				}
				c.change(s)
				return c.harm
			}
			var err error
			s.Cluster, err = simcluster.Start(simcluster.Options{
				Base: simcluster.Anywhere, Nodes: 3, Factor: 2, Tables: []simcluster.Table{table},
				Storage: func(_ int, n *internodetest.Node) { n.Draw = step },
			})
			require.NoError(t, err)
			t.Cleanup(s.Close)
			text := "k,n\n"
			for i := range 300 {
				text += fmt.Sprintf("%d,%d\n", i, i)
			}
			s.write("in.csv", text)
			args := []string{
				"load",
				"ks.t",
				"in.csv",
				"--run-dir",
				"run",
				"--via",
				"stream",
				"--listen",
				"127.0.0.1:0",
			}
			if c.resumed != "" {
				said := s.run(exitFatal, c.says, args...)
				require.Contains(
					t,
					said,
					" 0 rows into ks.t, ",
					"what is not on all of its nodes does not count as loaded",
				)
				if strings.HasPrefix(c.says, "the table was changed") {
					require.NotContains(t, said, "continue with", "it would be refused")
				}
				s.run(exitFatal, c.resumed, "resume", "run")
				return
			}
			s.run(exitOK, c.says, args...)
			require.Len(t, s.values(), 300)
			nodes := make(map[string]bool)
			for _, stream := range s.Streams() {
				for _, at := range stream.Partitions {
					nodes[fmt.Sprint(stream.Node, at)] = true
				}
			}
			for _, r := range s.Records("ks.t") {
				for _, replica := range s.Replicas(r.Token) {
					require.True(
						t,
						nodes[fmt.Sprint(replica.Node, r.Token)],
						"node %d lacks a row",
						replica.Node,
					)
				}
			}
		})
	}
}
