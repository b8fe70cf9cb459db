package operation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// typedChanges are changes that were all typed.
func typedChanges(values setting.Values) setting.Changes {
	c := setting.Changes{Values: values, Typed: setting.Given{}}
	for name := range values {
		c.Typed[name] = true
	}
	return c
}

// A load of rejects that is resumed with another setting records all settings by which it reads
// otherwise.
func TestReadingOfRejects(t *testing.T) {
	s := openShop(t)
	_, err := s.runLoad(t, s.load(t, "customer,number,pieces\nann,1,NA\nbob,1,-\n"))
	require.NoError(t, err)
	retry := func(values setting.Values) *Retry {
		r, err := PrepareRetry(
			t.Context(),
			s.env,
			spec.Resume{RunDir: "run", Changes: typedChanges(values)},
		)
		require.NoError(t, err)
		return r
	}
	first := retry(setting.Values{"null-string": {"NA"}})
	require.Empty(t, first.Before)
	_, err = first.Load.Run(t.Context())
	require.NoError(t, err)
	first.Load.Close()

	second := retry(nil)
	require.Equal(t, []string{"NA"}, second.Load.spec.Nulls, "as the first read them")
	require.Len(t, second.Before, 1)
	require.Equal(t, []string{"rejects.csv"}, second.Before[0].Files)
	require.Equal(
		t,
		[]recorded.Change{{Name: "null-string", Now: []string{"NA"}}},
		second.Before[0].Reading,
	)
	require.False(t, second.Before[0].Done)
	second.Load.Close()

	third := retry(setting.Values{"null-string": {"NA", "-"}})
	_, err = third.Load.Run(t.Context())
	require.NoError(t, err)
	third.Load.Close()
	fourth := retry(nil)
	require.Equal(t, []string{"NA", "-"}, fourth.Load.spec.Nulls)
	require.True(t, fourth.Before[0].Done)
	fourth.Load.Close()
	fifth := retry(setting.Values{"null-string": {}})
	require.Empty(t, fifth.Load.spec.Nulls, "as a flag says")
	fifth.Load.Close()
}
