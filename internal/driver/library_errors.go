package driver

import (
	"regexp"
	"strings"
)

// libraryWords replaces the library's messages by messages for an operator.
var libraryWords = strings.NewReplacer(
	"gocql: no response received from cassandra within timeout period",
	"no answer within the time limit",
	"gocql: too many query timeouts on the connection",
	"too many requests on the connection got no answer",
	"gocql: connection closed waiting for response",
	"the connection was closed before the answer came",
	"gocql: no streams available on connection",
	"the connection has as many requests under way as it can",
	"gocql: host is nil or down",
	"the node is down",
	"gocql: host does not have a pool",
	"there is no connection to the node",
	"gocql: host pool does not have connections",
	"there is no connection to the node",
	"gocql: no hosts available in the pool",
	"there is no connection to any node",
	"gocql: no response to connection startup within timeout",
	"the node takes the connection and answers nothing",
	"gocql: no control connection available",
	"there is no connection to ask for the nodes by",
	"gocql: unable to create session: ",
	"",
	"unable to discover protocol version: ",
	"",
	"gocql: ",
	"",
)

// libraryNotes matches what the library adds in parentheses for its own users.
var libraryNotes = regexp.MustCompile(` \((?:timeout: [^)]*|potentially executed: [^)]*)\)`)

// translate returns a message of the library in the words of an operator.
func translate(text string) string {
	if !strings.Contains(text, "gocql") && !strings.Contains(text, "potentially executed") {
		return text
	}
	return libraryNotes.ReplaceAllString(libraryWords.Replace(text), "")
}

// translateError returns err with a message in the words of an operator, and wraps it.
func translateError(err error) error {
	text := err.Error()
	if words := translate(text); words != text {
		return &translatedError{words, err}
	}
	return err
}

// translatedError is an error with another message.
type translatedError struct {
	text string
	err  error
}

func (w *translatedError) Error() string { return w.text }
func (w *translatedError) Unwrap() error { return w.err }
