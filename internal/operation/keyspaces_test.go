package operation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// oneCustomer is a load of 100 rows of one partition, which would be one batch.
func oneCustomer() string {
	var input strings.Builder
	input.WriteString("customer,number,pieces\n")
	for i := range 100 {
		fmt.Fprintf(&input, "ann,%d,1\n", i)
	}
	return input.String()
}

// A load into Amazon Keyspaces makes batches of its size. It sends write times only to a table that
// takes them, and refuses those of the user otherwise.
func TestLoadIntoAmazonKeyspaces(t *testing.T) {
	for _, times := range []bool{false, true} {
		t.Run(fmt.Sprintf("write times %t", times), func(t *testing.T) {
			s := openShopOn(t, simcluster.Options{
				AmazonKeyspaces: true,
				ClientTimes:     times,
				Refuse: func(r simcluster.Request) message.Error {
					switch {
					case !times && strings.Contains(r.Statement, "USING TIMESTAMP"):
						return &message.Invalid{ErrorMessage: "no client-side timestamps"}
					case len(r.Keys) > table.KeyspacesBatch:
						return &message.Invalid{ErrorMessage: "too many rows in a batch"}
					default:
						return nil
					}
				},
			})
			r, err := s.runLoad(t, s.load(t, oneCustomer()))
			require.NoError(t, err)
			require.Equal(t, run.Done, r.Outcome)
			require.EqualValues(t, 100, r.Rows)
			largest := 0
			for _, request := range s.cluster.Requests() {
				if strings.HasPrefix(request.Statement, "INSERT") && !request.Prepare {
					largest = max(largest, request.Rows)
					require.Equal(t, times, strings.Contains(request.Statement, "USING TIMESTAMP"))
				}
			}
			require.Equal(t, table.KeyspacesBatch, largest)
			settings := s.load(t, "customer,number\nann,1\n")
			settings.Delete, settings.RunDir = true, "deletes"
			settings.Given = setting.Given{"delete": true}
			// The simulated cluster refuses the statement, with its text.
			_, err = PrepareLoad(t.Context(), s.env, *settings)
			require.ErrorContains(t, err, "DELETE FROM shop.orders")
			require.Equal(t, times, strings.Contains(err.Error(), "USING TIMESTAMP"))
			require.Equal(t, !times, strings.Contains(strings.Join(s.told, "\n"), "takes no write times"))
			if times {
				return
			}
			settings = s.load(t, oneCustomer())
			settings.Timestamp, settings.RunDir = "1700000000000000", "other"
			_, err = PrepareLoad(t.Context(), s.env, *settings)
			require.ErrorContains(t, err, "--timestamp: the table takes no write times")

			settings = s.load(t, "customer,number,pieces,writetime(pieces)\nann,1,1,5\n")
			settings.RunDir = "other"
			_, err = s.runLoad(t, settings)
			require.ErrorContains(
				t, err, `field "writetime(pieces)": the table takes no write times`)
		})
	}
}
