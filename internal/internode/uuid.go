package internode

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"
)

// UUID is the id of a table or of a plan.
type UUID [16]byte

// String returns the usual form of 36 characters.
func (u UUID) String() string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// ParseUUID reads that form.
func ParseUUID(s string) (u UUID, err error) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return u, fmt.Errorf("%.50q is not a UUID", s)
	}
	if _, err := hex.Decode(u[:], []byte(s[:8]+s[9:13]+s[14:18]+s[19:23]+s[24:])); err != nil {
		return u, fmt.Errorf("%q is not a UUID: %w", s, err)
	}
	return u, nil
}

// gregorian is the beginning of a time UUID's time, in units of 100 ns before 1970.
const gregorian = 122192928000000000

// NewPlan makes a time UUID (version 1 of RFC 9562) of the present time with a random clock
// sequence and node. Cassandra requires that form for a stream's plan.
func NewPlan() UUID {
	ticks := uint64(time.Now().UnixNano()/100 + gregorian)
	var u UUID
	binary.BigEndian.PutUint32(u[:], uint32(ticks))
	binary.BigEndian.PutUint16(u[4:], uint16(ticks>>32))
	binary.BigEndian.PutUint16(u[6:], uint16(ticks>>48)&0x0fff|0x1000)
	_, _ = rand.Read(u[8:]) // it never fails
	u[8] = u[8]&0x3f | 0x80
	u[10] |= 1 // multicast: no network card has such an address
	return u
}
