package internode

import (
	"fmt"
	"io"
	"net/netip"
)

// The first byte of each message (StreamMessage.Type).
const (
	idPrepareSyn    = 1
	idStream        = 2
	idReceived      = 3
	idComplete      = 5
	idSessionFailed = 6
	idKeepAlive     = 7
	idPrepareSynAck = 8
	idPrepareAck    = 9
	idInit          = 10
)

// Message is one of the messages of a session: [Init], [PrepareSyn], [PrepareSynAck], [PrepareAck],
// [*FileHead], [Received], or a [Signal].
type Message interface {
	// append appends the message with its first byte.
	append(dst []byte) []byte
}

// Append appends a message's bytes. Of a [*FileHead] the payload follows.
func Append(dst []byte, m Message) []byte { return m.append(dst) }

// Signal is a message that is nothing but its name.
type Signal byte

// The signals.
const (
	// Complete says that all files of a session are in use.
	Complete Signal = idComplete
	// SessionFailed says that the session has ended badly; why stands in the log of who says it.
	SessionFailed Signal = idSessionFailed
	// KeepAlive says that somebody is there.
	KeepAlive Signal = idKeepAlive
)

func (s Signal) append(dst []byte) []byte { return append(dst, byte(s)) }

// String is the protocol's name of the signal.
func (s Signal) String() string {
	switch s {
	case Complete:
		return "COMPLETE"
	case SessionFailed:
		return "SESSION_FAILED"
	default:
		return "KEEP_ALIVE"
	}
}

// operation is what a session is for, by StreamOperation's description, and what nodes show of it. They treat what comes
// by a repair as they do what comes by a "Bulk Load", but for one thing: since 5.0 they look whether there is room on the disk, and refuse
// the session where there is none (StreamSession.checkAvailableDiskSpaceAndCompactions). Otherwise a node that
// runs out of it stops serving, as its disk_failure_policy says.
const operation = "Repair"

// Init opens a session, on the control connection (StreamInitMessage).
type Init struct {
	From netip.AddrPort // of who opens it, as in the handshake
	Plan UUID
}

func (m Init) append(dst []byte) []byte {
	dst = appendAddress(append(dst, idInit), m.From)
	dst = appendI32(dst, 0) // session index
	dst = appendText(append(dst, m.Plan[:]...), operation)
	dst = appendBool(dst, false) // pending repair
	return appendI32(dst, 0)     // no preview
}

func (d *decoder) init() Init {
	m := Init{From: d.address()}
	d.want("session", 0)
	m.Plan = d.uuid()
	if got := d.text(); got != operation {
		d.fail("operation %q, not %q", got, operation)
	}
	d.wantFalse("a repair")
	d.want("preview", 0)
	return m
}

// Summary says how much of a table is to come (StreamSummary).
type Summary struct {
	Table UUID
	// Files is the number of files, where a whole SSTable counts as often as it has components.
	Files int
	Bytes int64
}

func appendSummaries(dst []byte, all []Summary) []byte {
	dst = appendI32(dst, int32(len(all)))
	for _, s := range all {
		dst = append(dst, s.Table[:]...)
		dst = appendI64(appendI32(dst, int32(s.Files)), s.Bytes)
	}
	return dst
}

func (d *decoder) summaries() (all []Summary) {
	for n := d.number("summaries"); n > 0 && d.err == nil; n-- {
		all = append(all, Summary{Table: d.uuid(), Files: d.number("files"), Bytes: d.length("bytes")})
	}
	return all
}

// PrepareSyn announces what will be sent (PrepareSynMessage); nothing is asked for.
type PrepareSyn struct{ Summaries []Summary }

func (m PrepareSyn) append(dst []byte) []byte {
	return appendSummaries(appendI32(append(dst, idPrepareSyn), 0), m.Summaries)
}

// PrepareSynAck answers PrepareSyn with what the other side will send: nothing (PrepareSynAckMessage).
type PrepareSynAck struct{ Summaries []Summary }

func (m PrepareSynAck) append(dst []byte) []byte {
	return appendSummaries(append(dst, idPrepareSynAck), m.Summaries)
}

// PrepareAck answers a PrepareSynAck that announced something (PrepareAckMessage).
type PrepareAck struct{}

func (PrepareAck) append(dst []byte) []byte { return append(dst, idPrepareAck) }

// Received acknowledges one file (ReceivedMessage).
type Received struct {
	Table    UUID
	Sequence int // the file's, of its table in this session
}

func (m Received) append(dst []byte) []byte {
	return appendI32(append(append(dst, idReceived), m.Table[:]...), int32(m.Sequence))
}

// Read reads the next message. After a [*FileHead] the caller reads the payload from r. The error is
// io.EOF when r ends before the message, io.ErrUnexpectedEOF in the middle of it.
func Read(r io.Reader) (Message, error) {
	var first [1]byte
	if _, err := io.ReadFull(r, first[:]); err != nil {
		return nil, err
	}
	d := newDecoder(r)
	var m Message
	switch first[0] {
	case idInit:
		m = d.init()
	case idPrepareSyn:
		d.want("requests", 0)
		m = PrepareSyn{d.summaries()}
	case idPrepareSynAck:
		m = PrepareSynAck{d.summaries()}
	case idPrepareAck:
		m = PrepareAck{}
	case idStream:
		m = d.fileHead()
	case idReceived:
		m = Received{Table: d.uuid(), Sequence: d.number("sequence")}
	case idComplete, idSessionFailed, idKeepAlive:
		m = Signal(first[0])
	default:
		return nil, fmt.Errorf("%w: message %d", errMalformed, first[0])
	}
	if d.err != nil {
		return nil, d.err
	}
	return m, nil
}
