package internode

import (
	"fmt"
	"io"
	"net/netip"
)

// The first bytes of messages (StreamMessage.Type).
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

// Message is a message of a session: [Init], [PrepareSyn], [PrepareSynAck], [PrepareAck],
// [*FileHead], [Received], or a [Signal].
type Message interface {
	// append appends the message, including its first byte.
	append(dst []byte) []byte
}

// Append appends a message's bytes. The payload of a [*FileHead] is not included.
func Append(dst []byte, m Message) []byte { return m.append(dst) }

// Signal is a message that consists of its first byte.
type Signal byte

// The signals.
const (
	// Complete reports that all files of a session are in use.
	Complete Signal = idComplete
	// SessionFailed reports that the session has failed. The sender's log says why.
	SessionFailed Signal = idSessionFailed
	// KeepAlive reports that the sender is alive.
	KeepAlive Signal = idKeepAlive
)

func (s Signal) append(dst []byte) []byte { return append(dst, byte(s)) }

// String returns the protocol's name of the signal.
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

// Operation is the purpose of a session, as in StreamOperation's description. Nodes show it.
type Operation string

// The operations.
const (
	// Repair is the operation for files that are sent. Nodes treat it like "Bulk Load", with one
	// difference: since 5.0 they check for room on the disk, and refuse the session if there is
	// none (StreamSession.checkAvailableDiskSpaceAndCompactions). Otherwise a node that runs out of
	// it stops serving, by its disk_failure_policy.
	Repair Operation = "Repair"
	// Other is the operation for files that are requested: it is none of the nodes' own purposes.
	Other Operation = "Other"
)

// Init opens a session, on the control connection (StreamInitMessage).
type Init struct {
	// From is the address of the side that opens it, as in the handshake. Requested files are sent
	// there.
	From      netip.AddrPort
	Plan      UUID
	Operation Operation
	// Preview asks the node how much it would send, without sending it (PreviewKind.ALL).
	Preview bool
}

func (m Init) append(dst []byte) []byte {
	dst = appendAddress(append(dst, idInit), m.From)
	dst = appendI32(dst, 0) // session index
	dst = appendText(append(dst, m.Plan[:]...), string(m.Operation))
	dst = appendBool(dst, false) // pending repair
	if m.Preview {
		return appendI32(dst, 1)
	}
	return appendI32(dst, 0)
}

func (d *decoder) init() Init {
	m := Init{From: d.address()}
	d.want("session", 0)
	m.Plan, m.Operation = d.uuid(), Operation(d.text())
	if m.Operation != Repair && m.Operation != Other {
		d.fail("operation %q, neither %q nor %q", m.Operation, Repair, Other)
	}
	d.wantFalse("a repair")
	preview := d.number("preview")
	if preview > 1 {
		d.fail("preview %d, not 0 or 1", preview)
	}
	m.Preview = preview == 1
	return m
}

// Summary is how much of a table is to come (StreamSummary).
type Summary struct {
	Table UUID
	// Files is the number of files. An entire SSTable counts as one for each of its components.
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
		all = append(
			all,
			Summary{Table: d.uuid(), Files: d.number("files"), Bytes: d.length("bytes")},
		)
	}
	return all
}

// PrepareSyn requests ranges of tables, and announces what will be sent (PrepareSynMessage).
type PrepareSyn struct {
	Requests  []Request
	Summaries []Summary
}

func (m PrepareSyn) append(dst []byte) []byte {
	dst = appendI32(append(dst, idPrepareSyn), int32(len(m.Requests)))
	for _, r := range m.Requests {
		dst = r.append(dst)
	}
	return appendSummaries(dst, m.Summaries)
}

func (d *decoder) prepareSyn() (m PrepareSyn) {
	for n := d.number("requests"); n > 0 && d.err == nil; n-- {
		m.Requests = append(m.Requests, d.request())
	}
	m.Summaries = d.summaries()
	return m
}

// PrepareSynAck answers PrepareSyn with what the other side will send (PrepareSynAckMessage). An
// entire SSTable counts as one file for each of its components.
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
	Sequence int // of the file among those of its table in this session
}

func (m Received) append(dst []byte) []byte {
	return appendI32(append(append(dst, idReceived), m.Table[:]...), int32(m.Sequence))
}

// Read reads the next message. After a [*FileHead] the caller reads the payload from r. The error
// is io.EOF if r ends before the message, and io.ErrUnexpectedEOF in the middle of it.
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
		m = d.prepareSyn()
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
