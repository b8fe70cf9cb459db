package journal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"
)

// Record is one record of a journal.
type Record struct {
	Seq     uint64 // from 1
	Kind    string
	Payload []byte // JSON; valid during the call that hands the record over
}

// Decode reads the payload into v, as json.Unmarshal does: it ignores fields that v does not have.
// The error names the record.
func (r Record) Decode(v any) error {
	if err := json.Unmarshal(r.Payload, v); err != nil {
		return fmt.Errorf("record %d of kind %s: %w", r.Seq, r.Kind, err)
	}
	return nil
}

const (
	maxKind  = 32
	crcLen   = 8
	bodyFrom = crcLen + 1 // where the part under the checksum begins

	// maxLine is the length of the longest line, with its line feed. A sequence number has at most
	// 20 digits.
	maxLine = bodyFrom + 20 + 1 + maxKind + 1 + MaxPayload + 1
)

// castagnoli is the polynomial of CRC-32C, for which processors have an instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// validKind reports whether a record may have that kind.
func validKind(kind string) bool {
	if kind == "" || len(kind) > maxKind || kind[0] < 'a' || kind[0] > 'z' {
		return false
	}
	for _, c := range []byte(kind) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// appendRecord appends the line of a record to dst.
func appendRecord(dst []byte, seq uint64, kind string, payload []byte) []byte {
	start := len(dst)
	dst = append(dst, "00000000 "...)
	dst = strconv.AppendUint(dst, seq, 10)
	dst = append(dst, ' ')
	dst = append(dst, kind...)
	dst = append(dst, ' ')
	dst = append(dst, payload...)
	crc := checksum(dst[start+bodyFrom:])
	copy(dst[start:], crc[:])
	return append(dst, '\n')
}

// checksum returns the CRC of a record's body as hex digits.
func checksum(body []byte) (text [crcLen]byte) {
	sum := crc32.Checksum(body, castagnoli)
	hex.Encode(text[:], []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
	return text
}

// parseRecord parses a line without its line feed. It returns false if the line is not a whole
// record. The payload is a part of line.
func parseRecord(line []byte) (Record, bool) {
	if len(line) < bodyFrom || line[crcLen] != ' ' {
		return Record{}, false
	}
	body := line[bodyFrom:]
	if crc := checksum(body); !bytes.Equal(line[:crcLen], crc[:]) {
		return Record{}, false
	}
	number, rest, _ := bytes.Cut(body, []byte{' '})
	kind, payload, found := bytes.Cut(rest, []byte{' '})
	seq, err := strconv.ParseUint(string(number), 10, 64)
	if err != nil || !found || !validKind(string(kind)) || len(payload) > MaxPayload {
		return Record{}, false
	}
	return Record{Seq: seq, Kind: string(kind), Payload: payload}, true
}

// endsWithRecord reports whether the whole record seq is at the end of a line, after other bytes.
// That happens if the line feed before it is lost.
func endsWithRecord(line []byte, seq uint64) bool {
	mark := []byte(" " + strconv.FormatUint(seq, 10) + " ")
	for from := crcLen; from < len(line); {
		at := bytes.Index(line[from:], mark)
		if at < 0 {
			return false
		}
		if _, whole := parseRecord(line[from+at-crcLen:]); whole {
			return true
		}
		from += at + 1
	}
	return false
}
