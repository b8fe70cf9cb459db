package spec

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A preset sets what was not given, and only what the format has.
func TestPresetsOfLoads(t *testing.T) {
	o := NewLoad()
	o.Dialect.Name = DialectDSBulk
	o.Given["binary"] = true
	text, err := o.ChooseFormat("in.csv")
	require.NoError(t, err)
	require.Equal(t, DialectCQLBulk, o.Dialect.Name)
	require.Equal(t, BinaryHex, o.Dialect.Binary, "it was given")
	require.Equal(t, CollectionsJSON, o.Dialect.Collections)
	require.Equal(t, `\`, o.Dialect.Escape)
	require.True(t, o.Dialect.EscapeInQuotes)
	require.True(t, o.Header)
	require.True(t, o.Given["collections"], "commands that are advised have it")
	require.Equal(t, byte(','), text.Delimiter)

	o = NewLoad()
	o.Dialect.Name = DialectDSBulk
	_, err = o.ChooseFormat("in.json")
	require.NoError(t, err)
	require.Equal(t, BinaryBase64, o.Dialect.Binary)
	require.Equal(t, CollectionsCQL, o.Dialect.Collections, "JSON has its own")
	require.Empty(t, o.Dialect.Escape)

	o = NewLoad()
	o.Dialect.Name, o.Dialect.Collections = DialectDSBulk, "other"
	_, err = o.ChooseFormat("in.csv")
	require.NoError(t, err)
	require.Equal(t, "other", o.Dialect.Collections, "of a file of settings")

	o = NewLoad()
	o.Dialect.Name = DialectPandas
	_, err = o.ChooseFormat("in.csv")
	require.NoError(t, err)
	require.True(t, o.Dialect.DecimalIntegers())

	o = NewLoad()
	o.Dialect.Name = DialectCassandraLoader
	_, err = o.ChooseFormat("in.csv")
	require.NoError(t, err)
	require.False(t, o.Header)

	err = ErrDialect("dbsulk")
	require.EqualError(
		t,
		err,
		`--dialect "dbsulk": must be cqlbulk, cqlsh, dsbulk, pandas or cassandra-loader`,
	)
}

func TestPresetsOfScans(t *testing.T) {
	s := NewScan()
	s.Dialect, s.Format = DialectDSBulk, "csv"
	_, err := s.Check(false)
	require.NoError(t, err)
	require.Equal(t, BinaryBase64, s.Binary)
	require.Equal(t, CollectionsJSON, s.Collections)

	s = NewScan()
	s.Dialect, s.Format = DialectPandas, "csv"
	_, err = s.Check(false)
	require.NoError(t, err, "a scan has no --integers")
}
