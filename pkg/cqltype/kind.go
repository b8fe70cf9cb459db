package cqltype

// Kind says which CQL type a Type is.
type Kind uint8

// The kinds. The zero Kind is no type at all, so that a forgotten Kind is seen.
const (
	Invalid Kind = iota
	Ascii
	Bigint
	Blob
	Boolean
	Counter
	Date
	Decimal
	Double
	Duration
	Empty // Cassandra's EmptyType: its only value has zero length
	Float
	Inet
	Int
	Smallint
	Text // also called varchar
	Time
	Timestamp
	TimeUUID
	Tinyint
	UUID
	Varint
	List   // one element type
	Set    // one element type
	Map    // key type, value type
	Tuple  // one type per element
	UDT    // one type per field
	Vector // one element type and a dimension
	Custom // a server-side Java class, named by Type.Class
)

// kindNames holds the CQL name of each kind; for kinds with parameters, the word before "<".
var kindNames = [...]string{
	Invalid:   "invalid",
	Ascii:     "ascii",
	Bigint:    "bigint",
	Blob:      "blob",
	Boolean:   "boolean",
	Counter:   "counter",
	Date:      "date",
	Decimal:   "decimal",
	Double:    "double",
	Duration:  "duration",
	Empty:     "empty",
	Float:     "float",
	Inet:      "inet",
	Int:       "int",
	Smallint:  "smallint",
	Text:      "text",
	Time:      "time",
	Timestamp: "timestamp",
	TimeUUID:  "timeuuid",
	Tinyint:   "tinyint",
	UUID:      "uuid",
	Varint:    "varint",
	List:      "list",
	Set:       "set",
	Map:       "map",
	Tuple:     "tuple",
	UDT:       "udt",
	Vector:    "vector",
	Custom:    "custom",
}

// natives maps the name of each type without parameters to its kind.
var natives = func() map[string]Kind {
	m := map[string]Kind{"varchar": Text}
	for k := Ascii; k <= Varint; k++ {
		m[kindNames[k]] = k
	}
	return m
}()

// String returns the CQL word for the kind, such as "bigint" or "list".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "invalid"
}

// Scalar reports whether the kind has no element types: all but list, set, map, tuple, UDT, vector and the
// invalid kind.
func (k Kind) Scalar() bool {
	return k >= Ascii && k <= Varint || k == Custom
}
