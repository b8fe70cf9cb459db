package driver

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/fault"
)

// pageLimit is the largest size of a page of a user's table. Servers count a page in rows. If rows
// are larger than expected, a page would take memory that is not reserved. So the connection's
// frameChecker drops the page, and answers with an error that has the page's size. It is safe for
// concurrent use.
type pageLimit struct {
	largest atomic.Int64 // largest reservation; 0: no limit

	mu       sync.Mutex
	reserved map[int64]int // by size: the number of requests
}

// Reserve sets the size of page allowed for a request in flight, until free is called. If several
// requests are in flight, each page may have the largest of their sizes. If none is, no page is
// refused. A refused page is a *fault.LargeError.
func (s *Session) Reserve(bytes int64) (free func()) {
	s.pageLimit.add(bytes, 1)
	return func() { s.pageLimit.add(bytes, -1) }
}

func (r *pageLimit) add(bytes int64, requests int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reserved == nil {
		r.reserved = make(map[int64]int)
	}
	if r.reserved[bytes] += requests; r.reserved[bytes] == 0 {
		delete(r.reserved, bytes)
	}
	var largest int64
	for n := range r.reserved {
		largest = max(largest, n)
	}
	r.largest.Store(largest)
}

// allows reports whether a page of a user's table may have that many bytes.
func (r *pageLimit) allows(bytes int) bool {
	largest := r.largest.Load()
	return largest == 0 || int64(bytes) <= largest
}

// trustedLength returns the number of bytes of a frame that memory is allocated for before they
// have come.
func (r *pageLimit) trustedLength() int {
	if largest := r.largest.Load(); largest < math.MaxInt32 {
		return max(int(largest), wholeAbove)
	}
	return wholeAbove
}

// refusalFrame returns the frame that replaces a page that is too large: an ERROR with the code of
// a server error (section 9).
func refusalFrame(header []byte, bytes int) []byte {
	text := fmt.Sprintf(refusalText, bytes)
	frame := append([]byte{header[0], 0, header[2], header[3], opError}, make([]byte, 4+4+2)...)
	binary.BigEndian.PutUint32(frame[5:], uint32(4+2+len(text)))
	binary.BigEndian.PutUint16(frame[headerSize+4:], uint16(len(text)))
	return append(frame, text...)
}

const refusalText = "cqlbulk has no room for a page of %d bytes"

var refusalPattern = regexp.MustCompile(`^cqlbulk has no room for a page of (\d+) bytes$`)

// largeError recognizes the answer that replaces a page that is too large.
func largeError(request responseError) error {
	if request.GetCode() != 0 {
		return nil
	}
	found := refusalPattern.FindStringSubmatch(request.GetMessage())
	if found == nil {
		return nil
	}
	bytes, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil {
		return nil
	}
	return &fault.LargeError{Bytes: bytes}
}
