package driver

import (
	"testing"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// The classes of errors as servers send them.
func TestClassOfAnswers(t *testing.T) {
	var answer message.Error
	_, s := simulate(t, simcluster.Options{Refuse: func(r simcluster.Request) message.Error {
		if len(r.Keys) > 0 {
			return answer
		}
		return nil
	}})
	_, table := target(t, s)
	one := []row.Row{{Cells: []row.Cell{{State: row.Set, Bytes: make([]byte, 8)}, {}}}}
	for _, tc := range []struct {
		answer message.Error
		want   fault.Class
	}{
		{&message.Overloaded{}, fault.Overloaded},
		{&message.Unavailable{Consistency: primitive.ConsistencyLevelOne}, fault.Transient},
		{&message.IsBootstrapping{}, fault.Transient},
		{
			&message.WriteTimeout{
				Consistency: primitive.ConsistencyLevelOne, WriteType: primitive.WriteTypeSimple,
			},
			fault.Unknown,
		},
		{&message.ServerError{}, fault.Unknown},
		{&message.SyntaxError{}, fault.Permanent},
		{&message.Invalid{ErrorMessage: "Invalid null value"}, fault.Permanent},
		{&message.Invalid{ErrorMessage: "unconfigured table t"}, fault.Fatal},
		{&message.Unauthorized{}, fault.Fatal},
	} {
		answer = tc.answer
		err := s.Writer(table, table.Columns).Write(t.Context(), "", one)
		require.Equal(t, tc.want, fault.ClassOf(err), "%T: %v", tc.answer, err)
	}
}
