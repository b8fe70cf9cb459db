package spec

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
)

// Written returns the write times from which rows are read, and before which, in microseconds since
// the epoch; nil: no limit.
func (s *Scan) Written() (since, until *int64, err error) {
	if since, err = writeTime("written-since", s.WrittenSince); err == nil {
		until, err = writeTime("written-until", s.WrittenUntil)
	}
	return since, until, err
}

// checkTimes refuses settings about write times that mean nothing, or something else.
func (s *Scan) checkTimes() error {
	since, until, err := s.Written()
	switch {
	case err != nil:
		return err
	case since != nil && until != nil && *since >= *until:
		return fmt.Errorf(
			"--written-since %s, --written-until %s: no write time is between them",
			s.WrittenSince,
			s.WrittenUntil,
		)
	case s.Query != "" && (s.PreserveTimes || since != nil || until != nil):
		return errors.New(
			"--query: select writetime(c) and ttl(c) in the statement: " +
				"--preserve-times, --written-since and --written-until are for columns",
		)
	}
	for _, of := range []struct {
		flag, text string
		stamp      *int64
	}{{"written-since", s.WrittenSince, since}, {"written-until", s.WrittenUntil, until}} {
		if of.stamp == nil {
			continue
		}
		_, err := strconv.ParseInt(of.text, 10, 64)
		if mistake, sure := doctor.StampMistake(of.flag, *of.stamp); sure && err == nil {
			return fmt.Errorf("--%s %s: %s", of.flag, of.text, mistake)
		}
	}
	return nil
}
