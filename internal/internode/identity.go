package internode

import "context"

// CheckTable proves that a node (address and storage port) knows a table by its id. Ids are unique.
// So a node of another cluster that listens at that address does not know it, even if it has a
// table of that name. That error has kind [Foreign].
//
// The session is a preview: the node prepares to receive a file of the table, answers, and forgets
// the session. An unknown id fails it, with a NullPointerException in the node's log. Source:
// org.apache.cassandra.streaming.StreamSession.prepareAsync and StreamReceiveTask.
func (c *Client) CheckTable(ctx context.Context, node string, table UUID) error {
	plan := NewPlan()
	s := newSession(c, node, plan)
	return wrap(node, plan, s.run(ctx, func(ctx context.Context) error {
		syn := PrepareSyn{Summaries: []Summary{{Table: table, Files: 1}}}
		if err := s.begin(Init{Operation: Other, Preview: true}, syn); err != nil {
			return err
		}
		_, err := s.prepared(ctx, c.Timeouts.prepare(preparedToTake))
		if kindOf(err) == Failed {
			return problemf(
				Foreign,
				"the node does not know the table by its id %s: is another cluster "+
					"at this address? Its log says more, under plan %s",
				table,
				plan,
			)
		}
		return err
	}))
}
