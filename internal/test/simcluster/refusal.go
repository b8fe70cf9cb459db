package simcluster

import (
	"errors"
	"fmt"

	"github.com/datastax/go-cassandra-native-protocol/message"
)

// said is an error in the words of a server, which are not ours.
type said string

func (s said) Error() string { return string(s) }

func sayf(format string, args ...any) error { return said(fmt.Sprintf(format, args...)) }

// syntaxError is that of a text that is not understood.
type syntaxError struct{ error }

// unpreparedError is that of a statement that the node does not know.
type unpreparedError struct{ text string }

func (e *unpreparedError) Error() string { return "unprepared: " + e.text }

// refusal is an error as the answer of a server.
func refusal(err error) message.Error {
	var syntax syntaxError
	var unprepared *unpreparedError
	switch {
	case errors.As(err, &unprepared):
		return &message.Unprepared{
			ErrorMessage: "Prepared query with ID " + unprepared.text + " not found",
			Id:           []byte(unprepared.text),
		}
	case errors.As(err, &syntax):
		return &message.SyntaxError{ErrorMessage: err.Error()}
	case errors.Is(err, errPagingState):
		return &message.ProtocolError{ErrorMessage: err.Error()}
	default:
		return &message.Invalid{ErrorMessage: err.Error()}
	}
}
