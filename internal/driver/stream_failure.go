package driver

import (
	"context"
	"regexp"
	"strings"

	"github.com/gocql/gocql"
)

// StreamFailure is why a node failed a session.
type StreamFailure struct {
	Why  string // empty: the node does not report it, or not yet
	Rows bool   // it concerns the rows, so the same rows fail again
}

// StreamFailure asks a node why a session failed that streamed to it, by its plan. Cassandra keeps
// it since 4.1, for a while.
func (s *Session) StreamFailure(ctx context.Context, node string, plan [16]byte) StreamFailure {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.AskTimeout)
	defer cancel()
	var cause string
	err := s.each(
		ctx,
		node,
		func() error { return nil },
		[]any{&cause},
		"SELECT failure_cause FROM system_views.streaming WHERE id = ?",
		gocql.UUID(plan),
	)
	if err != nil {
		return StreamFailure{} // before 4.1 there is no such table; or the user lacks the right
	}
	return StreamFailure{messagesOf(cause), aboutRows.MatchString(cause)}
}

// aboutRows matches an exception from a node that reads a value, mostly to index it, or writes rows
// as a mutation. A node reports two lines of the stack (StreamSession.boundStackTrace), which
// seldom name the index.
var aboutRows = regexp.MustCompile(
	`\.(\w*IndexOutOfBounds|BufferUnderflow|Marshal|NumberFormat|IllegalArgument|InvalidRequest|MutationExceededMaxSize)Exception\b|\.AssertionError\b`,
)

// mostOfCause is the largest number of bytes of a cause that is reported.
const mostOfCause = 500

// stackLine is a line of a stack trace that is not a message.
var stackLine = regexp.MustCompile(
	`^(at |\.\.\. )|^\S+\((\S+\.java:\d+|Native Method|Unknown Source)\)`,
)

// messagesOf returns the messages in a Java stack trace, without the first, which only says that a
// stream has failed.
func messagesOf(trace string) string {
	var messages []string
	for line := range strings.Lines(trace) {
		line = strings.TrimSpace(line)
		if line == "" || stackLine.MatchString(line) ||
			strings.HasSuffix(line, "StreamException: Stream failed:") {
			continue
		}
		messages = append(messages, strings.TrimPrefix(line, "Caused by: "))
	}
	text := strings.ToValidUTF8(strings.Join(messages, "; "), "?")
	if len(text) > mostOfCause {
		text = strings.ToValidUTF8(text[:mostOfCause], "") + "..."
	}
	return text
}
