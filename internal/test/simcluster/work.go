package simcluster

import (
	"hash/fnv"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
)

// work is a request that has been understood and may be carried out.
type work struct {
	conn      *conn
	request   Request
	level     primitive.ConsistencyLevel
	content   uint64 // equal for equal requests, whatever their time and node
	system    bool   // it is for a system table
	batch     bool
	paged     bool                            // a read that has pages
	id        []byte                          // of the prepared statement, a batch's first
	read      func(shape) *message.RowsResult // of a read
	mutations []*mutation                     // of a write
	prepare   message.Message                 // of a PREPARE: the answer
}

func (c *conn) work(table, text string) *work {
	return &work{
		conn:    c,
		request: Request{Node: c.node.index, Shard: c.shard, Table: table, Statement: text},
	}
}

// delivery is how an answer gets to the client.
type delivery int

const (
	whole    delivery = iota
	cutShort          // a part of the frame, then the connection ends
	dropped           // the connection ends instead
	silence           // nothing comes
)

// reply is an answer on its way.
type reply struct {
	message  message.Message
	warnings []string
	payload  map[string][]byte
	delivery delivery
	part     float64 // of the frame, if it is cut short
}

// perform carries out a request, as far as the faults let it.
func (w *work) perform() reply {
	c := w.conn.node.cluster
	w.request.Consistency = w.level
	if w.prepare == nil {
		if refusal := c.options.Refuse(w.request); refusal != nil {
			c.log.request(w.request)
			return reply{message: refusal}
		}
	}
	d := c.meet(w)
	w.request.Number, w.request.Fault = d.number, d.fault
	if !w.conn.wait(d.delay) {
		return reply{delivery: silence}
	}
	e := &effects[d.fault]
	out := reply{warnings: d.warnings, delivery: e.delivery, part: d.part}
	switch {
	case w.prepare != nil:
		out.message = w.prepare
	case w.read != nil:
		if !w.system {
			if missing := w.conn.node.canRead(w.level, w.request.Range); missing != nil {
				c.log.request(w.request)
				out.message = missing
				return out
			}
		}
		if d.answer == nil && e.delivery != dropped && e.delivery != silence {
			result := w.read(d.shape)
			w.request.Rows = len(result.Data)
			out.message = result
		}
		c.log.request(w.request)
	default:
		out = w.write(d, out)
	}
	if d.answer != nil {
		out.message = d.answer
	}
	return out
}

// write applies as much of a write as the nodes that are down and the fault let it. A
// server sends a batch's partitions one after the other, and refuses it at the first
// that too few of the replicas of are up.
func (w *work) write(d decision, out reply) reply {
	c := w.conn.node.cluster
	reached, missing := w.conn.node.canWrite(w.level, w.request.Keys)
	applied := effects[d.fault].applies.of(w.mutations[:reached])
	out.message = &message.VoidResult{}
	if missing != nil {
		out.message = missing
	}
	acknowledged := missing == nil && d.answer == nil && out.delivery == whole
	for _, m := range applied {
		w.conn.node.write(m)
	}
	c.log.write(w.request, applied, acknowledged)
	if missing == nil && !w.batch && w.id != nil {
		out.payload = w.conn.hint(w.mutations[0])
	}
	return out
}

// wait lets a delay pass; false when the connection or the cluster ended before.
func (c *conn) wait(delay time.Duration) bool {
	if delay <= 0 {
		return true
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.gone:
		return false
	case <-c.node.cluster.done:
		return false
	}
}

// mix combines two numbers into one that depends on each bit of either.
func mix(a, b uint64) uint64 {
	z := a*0x9e3779b97f4a7c15 + b + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func hashBytes(parts ...[]byte) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = h.Write(appendBytes(nil, p))
	}
	return h.Sum64()
}
