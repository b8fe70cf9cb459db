package cqltype

// Kind is the kind of a CQL type.
type Kind uint8

// The kinds. The zero Kind is not a type, so that a missing Kind is noticed.
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
	Empty // Cassandra's EmptyType: its only value has no bytes
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
	Tuple  // one type for each element
	UDT    // one type for each field
	Vector // one element type and a dimension
	Custom // a server-side Java class, named by Type.Class
)

// kindNames are the CQL names of the kinds; for a kind with parameters, the word before "<".
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

// Scalar reports whether the kind has no element types. It returns false for list, set, map, tuple,
// UDT, vector and the invalid kind.
func (k Kind) Scalar() bool {
	return k >= Ascii && k <= Varint || k == Custom
}
