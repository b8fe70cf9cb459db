package driver

import (
	"context"
	"regexp"
	"strings"

	"github.com/gocql/gocql"
)

// StreamFailure is why a node failed a session.
type StreamFailure struct {
	Why  string // empty: the node does not tell, or not yet
	Rows bool   // it is about the rows, so that the same rows fail again
}

// StreamFailure asks a node why a session of that plan failed that streamed to it. Cassandra keeps
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
		return StreamFailure{} // there is no such table before 4.1, or no right to it
	}
	return StreamFailure{messagesOf(cause), aboutRows.MatchString(cause)}
}

// aboutRows is an exception that a node meets when it reads a value, to index it mostly, or writes
// rows as a mutation. A node reports two lines of the stack (StreamSession.boundStackTrace), which
// seldom name the index.
var aboutRows = regexp.MustCompile(
	`\.(\w*IndexOutOfBounds|BufferUnderflow|Marshal|NumberFormat|IllegalArgument|InvalidRequest|MutationExceededMaxSize)Exception\b|\.AssertionError\b`,
)

// mostOfCause is how many bytes of a cause are told.
const mostOfCause = 500

// stackLine is a line of a stack that is no message.
var stackLine = regexp.MustCompile(
	`^(at |\.\.\. )|^\S+\((\S+\.java:\d+|Native Method|Unknown Source)\)`,
)

// messagesOf takes the messages out of a stack trace of Java's, but for the first, which says that
// a stream has failed.
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
