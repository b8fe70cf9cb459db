package internode

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// The gossip messages used here, by their numbers in Verb.java.
const (
	verbSyn = 14 // GOSSIP_DIGEST_SYN
	verbAck = 15 // GOSSIP_DIGEST_ACK
)

// lifetime is the time after which a message is no longer answered.
const lifetime = time.Minute

// Syn asks a node for all that it knows by gossip, like a node that is about to join (a "shadow
// round"). It is a GossipDigestSyn without digests. The node answers with an [Ack] of the states of
// all nodes, and does not remember the request (GossipDigestSynVerbHandler.createShadowReply). A
// node of another cluster or partitioner does not answer.
type Syn struct {
	Cluster     string
	Partitioner string // the class with its package
}

// Ack is a node's answer.
type Ack struct{ Endpoints []Endpoint }

// Endpoint is the state of a node in gossip (EndpointState).
type Endpoint struct {
	Address netip.AddrPort // of its storage port
	// Generation is when the node was started. Heartbeat is a version that counts up while it runs.
	Generation, Heartbeat int32
	States                []AppState
}

// State is the number of a node's state: its position in ApplicationState.java. Positions of
// earlier versions never change.
type State int32

// the states that are read here
const (
	StateStatus             State = 0 // as in Cassandra 3
	StateSchema             State = 2
	StateDC                 State = 3
	StateRack               State = 4
	StateRelease            State = 5
	StateRemovalCoordinator State = 6
	StateHostID             State = 12
	StateTokens             State = 13
	StateStatusWithPort     State = 17
)

// AppState is one state of a node.
type AppState struct {
	State   State
	Value   string
	Version int32
}

// Get returns the value of a state; empty: the node does not have it.
func (e *Endpoint) Get(s State) string {
	for _, one := range e.States {
		if one.State == s {
			return one.Value
		}
	}
	return ""
}

// Tokens returns a node's tokens as the partitioner writes them (TokenSerializer).
func (e *Endpoint) Tokens() (tokens [][]byte, err error) {
	var b []byte
	for _, r := range e.Get(StateTokens) { // its bytes are the characters of a text
		if r > 0xff {
			return nil, fmt.Errorf("%w: a token with the byte 0x%x", errMalformed, r)
		}
		b = append(b, byte(r))
	}
	for len(b) >= 4 {
		n := binary.BigEndian.Uint32(b)
		if b = b[4:]; n == 0 {
			return tokens, nil
		}
		if uint64(n) > uint64(len(b)) {
			break
		}
		tokens = append(tokens, b[:n:n])
		b = b[n:]
	}
	if len(b) == 0 && tokens == nil {
		return nil, nil
	}
	return nil, fmt.Errorf("%w: tokens that end too early", errMalformed)
}

// TokensValue returns the value of [StateTokens] for tokens as the partitioner writes them.
func TokensValue(tokens [][]byte) string {
	var b []byte
	for _, t := range tokens {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(t))), t...)
	}
	b = append(b, 0, 0, 0, 0)
	text := make([]rune, len(b))
	for i, c := range b {
		text[i] = rune(c)
	}
	return string(text)
}

// AppendSyn appends a Syn sent at the time at.
func AppendSyn(dst []byte, s Syn, at time.Time) []byte {
	payload := appendUTF(appendUTF(nil, s.Cluster), s.Partitioner)
	return appendMessage(dst, verbSyn, at, appendI32(payload, 0))
}

// AppendAck appends an Ack sent at the time at.
func AppendAck(dst []byte, a Ack, at time.Time) []byte {
	payload := appendI32(appendI32(nil, 0), int32(len(a.Endpoints)))
	for _, e := range a.Endpoints {
		payload = appendAddress(payload, e.Address)
		payload = appendI32(appendI32(payload, e.Generation), e.Heartbeat)
		payload = appendI32(payload, int32(len(e.States)))
		for _, s := range e.States {
			payload = appendUTF(appendI32(payload, int32(s.State)), s.Value)
			payload = appendI32(payload, s.Version)
		}
	}
	return appendMessage(dst, verbAck, at, payload)
}

// appendMessage appends a payload and its head (Message.Serializer), without flags and parameters.
func appendMessage(dst []byte, verb uint64, at time.Time, payload []byte) []byte {
	dst = cqlwire.AppendUvint(dst, 1) // its number, which nothing refers to
	dst = appendI32(dst, int32(at.UnixMilli()))
	for _, n := range []uint64{uint64(lifetime.Milliseconds()), verb, 0, 0} {
		dst = cqlwire.AppendUvint(dst, n)
	}
	return appendVB(dst, payload)
}

// ReadGossip reads the next message from a connection's frames: a [Syn], an [Ack], or nil for any
// other. The error is io.EOF if r ends before the message.
func ReadGossip(r io.Reader) (any, error) {
	var first [1]byte
	if _, err := io.ReadFull(r, first[:]); err != nil {
		return nil, err
	}
	d := newDecoder(io.MultiReader(newOneByte(first[0]), r))
	d.uvint() // its number
	d.i32()   // when it was sent
	d.uvint() // when it expires
	verb := d.uvint()
	d.uvint() // flags
	d.each(func() {
		d.uvint()
		d.skipVB()
	})
	size := d.uvint()
	if d.err == nil && size > uint64(d.left) {
		d.fail("a message of %d bytes", size)
	}
	if d.err != nil {
		return nil, d.err
	}
	end := d.left - int(size)
	var m any
	switch verb {
	case verbSyn:
		s := Syn{Cluster: d.utf(), Partitioner: d.utf()}
		d.want("digests", 0)
		m = s
	case verbAck:
		d.want("digests", 0)
		m = Ack{d.endpoints()}
	default:
		d.bytes(size)
	}
	if d.err == nil && d.left != end {
		d.fail("a message that is not as long as it says")
	}
	if d.err != nil {
		return nil, d.err
	}
	return m, nil
}

// oneByte reads single bytes.
type oneByte struct {
	b    byte
	done bool
}

func newOneByte(b byte) *oneByte { return &oneByte{b: b} }

func (o *oneByte) Read(p []byte) (int, error) {
	if o.done || len(p) == 0 {
		return 0, io.EOF
	}
	p[0], o.done = o.b, true
	return 1, nil
}

func (d *decoder) endpoints() (all []Endpoint) {
	for n := d.number("nodes"); n > 0 && d.err == nil; n-- {
		e := Endpoint{Address: d.address(), Generation: d.i32(), Heartbeat: d.i32()}
		for states := d.number("states of a node"); states > 0 && d.err == nil; states-- {
			e.States = append(
				e.States,
				AppState{State: State(d.i32()), Value: d.utf(), Version: d.i32()},
			)
		}
		all = append(all, e)
	}
	return all
}

// the lead bytes of Java's modified UTF-8, and of what follows them
const (
	utfTail                                   = 0x80 // with six bits of the unit
	utfTwo                                    = 0xc0
	utfThree                                  = 0xe0
	surrogateHigh, surrogateLow, surrogateEnd = 0xd800, 0xdc00, 0xe000
)

// appendUTF appends a text like Java's DataOutput.writeUTF. A zero has two bytes. A character
// beyond 16 bits has two units of three bytes each.
func appendUTF(dst []byte, s string) []byte {
	at := len(dst)
	dst = append(dst, 0, 0)
	unit := func(u rune) {
		switch {
		case u != 0 && u < 0x80:
			dst = append(dst, byte(u))
		case u < 0x800:
			dst = append(dst, utfTwo|byte(u>>6), utfTail|byte(u&0x3f))
		default:
			dst = append(dst, utfThree|byte(u>>12), utfTail|byte(u>>6&0x3f), utfTail|byte(u&0x3f))
		}
	}
	for _, r := range s {
		if r < 1<<16 {
			unit(r)
			continue
		}
		r -= 1 << 16
		unit(surrogateHigh + r>>10)
		unit(surrogateLow + r&0x3ff)
	}
	binary.BigEndian.PutUint16(dst[at:], uint16(len(dst)-at-2))
	return dst
}

// utf reads such a text.
func (d *decoder) utf() string {
	b := d.bytes(uint64(d.u16()))
	var out []rune
	var high rune // the first half of a surrogate pair
	for len(b) > 0 && d.err == nil {
		u, n := utfUnit(b)
		low := u >= surrogateLow && u < surrogateEnd
		switch {
		case n == 0 || low != (high != 0):
			d.fail("a text that is not UTF-8 as Java writes it")
		case low:
			out, high = append(out, 1<<16+(high-surrogateHigh)<<10+(u-surrogateLow)), 0
		case u >= surrogateHigh && u < surrogateLow:
			high = u
		default:
			out = append(out, u)
		}
		b = b[n:]
	}
	if high != 0 {
		d.fail("a text that ends within a character")
	}
	return string(out)
}

// utfUnit reads a unit of 16 bits in its shortest form; n is 0 if there is none.
func utfUnit(b []byte) (u rune, n int) {
	tail := func(i int) rune { return rune(b[i] & 0x3f) }
	isTail := func(i int) bool { return len(b) > i && b[i]&utfTwo == utfTail }
	switch {
	case b[0] != 0 && b[0] < utfTail:
		return rune(b[0]), 1
	case b[0]&0xe0 == utfTwo && isTail(1):
		if u = rune(b[0]&0x1f)<<6 | tail(1); u >= 0x80 || u == 0 {
			return u, 2
		}
	case b[0]&0xf0 == utfThree && isTail(1) && isTail(2):
		if u = rune(b[0]&0x0f)<<12 | tail(1)<<6 | tail(2); u >= 0x800 {
			return u, 3
		}
	}
	return 0, 0
}
