package driver

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// FuzzConnect damages one of the answers that the driver gets while it connects and reads the
// cluster and a table. The number selects the answer, and how is the damage at an offset of the
// frame. The highest bit of how says whether the connection stays open after an incomplete frame.
func FuzzConnect(f *testing.F) {
	for i := range byte(20) {
		f.Add(2*i, i%2 == 0, i%ways, uint16(20+i), []byte{0xff})
	}
	for i, answer := range slices.Concat(others(f), lies(f)) {
		if i%2 == 0 {
			f.Add(byte(i%16), i%4 == 0, byte(replace), uint16(0), answer)
		}
	}
	ignored := goleak.IgnoreCurrent()
	// A session that is closed before this goroutine of the library's has begun never ends it:
	// controlConn.close asks it to end only once it has.
	heartBeat := goleak.IgnoreTopFunction("github.com/gocql/gocql.(*controlConn).heartBeat")
	f.Cleanup(func() {
		// The library waits for seconds before it checks whether there is anything to do.
		var left error
		for range 300 {
			if left = goleak.Find(ignored, heartBeat); left == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		require.NoError(f, left)
	})
	var fronts [2]*tamper
	var hosts [2][]string
	for i, o := range []simcluster.Options{
		{Nodes: 2, Cores: 4}, {Nodes: 2, Shards: 1, Tablets: 4},
	} {
		o.Base, o.Rows = simcluster.Anywhere, 10
		c, err := simcluster.Start(o)
		require.NoError(f, err)
		f.Cleanup(c.Close)
		fronts[i], hosts[i] = newTamper(f, c), c.Hosts()[:1]
	}
	f.Fuzz(func(t *testing.T, number byte, scylla bool, how byte, at uint16, piece []byte) {
		kind := 0
		if scylla {
			kind = 1
		}
		var count atomic.Int32
		front := fronts[kind]
		front.attack.Store(&attack{
			meets: func([]byte) bool { return count.Add(1) == int32(number%64)+1 },
			bend:  func(frame []byte) []byte { return bend(frame, how&^goesOn, int(at), piece) },

			hangUp: how&goesOn == 0,
		})
		begin, before := time.Now(), allocated()
		look(
			t,
			Config{
				Hosts:       hosts[kind],
				Port:        front.port(),
				Timeout:     100 * time.Millisecond,
				Connections: 1,
			},
		)
		require.Less(t, time.Since(begin), time.Minute)
		// On a slow machine, one more read of the largest answer counts here; the rest is small.
		require.Less(t, allocated()-before, uint64(3*most))
	})
}

// look connects and reads what a scan and a load read before they begin. Every error of a request
// must have a class.
func look(t *testing.T, cfg Config) {
	s, err := Connect(t.Context(), cfg)
	if err != nil {
		require.Equal(t, fault.Fatal, fault.ClassOf(err), "%v", err)
		return
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if nodes, err := s.Topology(ctx); err == nil {
		s.Estimates(ctx, nodes.Nodes, "ks", "t")
		if replication, err := s.Replication(ctx, "ks"); err == nil {
			_, _ = nodes.Place(replication)
		}
	}
	_, _ = s.Table(ctx, "ks", "t")
	_, _, _, _ = s.Tablets(ctx, "ks", "t")
	s.Limits(ctx)
}

// what is done to a frame
const (
	overwrite = iota
	replace
	insert
	remove
	chop
	ways

	goesOn = 0x80
)

// bend damages a frame at an offset. If it inserts or removes bytes, the header has the new length.
func bend(frame []byte, how byte, at int, piece []byte) []byte {
	frame = bytes.Clone(frame)
	at %= len(frame)
	switch how % ways {
	case overwrite:
		copy(frame[at:], piece)
		return frame
	case replace:
		return piece
	case chop:
		return frame[:at]
	}
	at = max(at, headerSize)
	if how%ways == insert {
		frame = slices.Insert(frame, at, piece...)
	} else {
		frame = slices.Delete(frame, at, min(at+len(piece), len(frame)))
	}
	binary.BigEndian.PutUint32(frame[5:], uint32(len(frame)-headerSize))
	return frame
}
