package internode

import "context"

// CheckTable proves that a node, address and storage port, knows a table by its id. Ids are
// unique, so that a node of another cluster, which only happens to listen at that address, does
// not, even if it has a table of that name. An error of kind [Foreign] says so.
//
// The session is one for a preview: the node prepares to take a file of the table, answers, and
// forgets the session. An id that it does not know fails it, with a NullPointerException in its
// log. Source: org.apache.cassandra.streaming.StreamSession.prepareAsync and StreamReceiveTask.
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
