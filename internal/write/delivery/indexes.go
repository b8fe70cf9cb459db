package delivery

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// maxIndexed is the longest value that an index without a class of its own takes
// (org.apache.cassandra.index.internal.CassandraIndex.validateIndexedValue).
const maxIndexed = 1<<16 - 2

// IndexesOf says which values the indexes of a table do not take. An index of SASI refuses none: by
// CQL too it leaves out those that are too long. Of an index of another class nothing is known.
func IndexesOf(t *schema.Table, indexes []driver.Index, limits driver.Limits) (all []stream.Index) {
	for _, i := range indexes {
		name, part := indexTarget(i.Options["target"])
		at := slices.IndexFunc(t.Columns, func(c schema.Column) bool { return c.Name == name })
		if at < 0 {
			continue
		}
		index := stream.Index{Name: i.Name, Column: name, Part: part}
		typ := t.Columns[at].Type
		class := i.Class[strings.LastIndexByte(i.Class, '.')+1:]
		switch {
		case class == "":
			index.MaxBytes = maxIndexed
		case !strings.EqualFold(class, "sai") && class != "StorageAttachedIndex":
			continue
		case typ.Kind == cqltype.Vector:
			// IndexWriterConfig: the class of storage-attached indexes.
			index.MaxBytes, index.Vectors = limits.MaxVectorBytes, true
			index.NoZero = strings.EqualFold(
				cmp.Or(i.Options["similarity_function"], "cosine"),
				"cosine",
			)
		case isFrozen(indexed(typ, part)):
			index.MaxBytes = limits.MaxFrozenTermBytes
		default:
			index.MaxBytes = limits.MaxTermBytes
		}
		index.MaxBytes = max(index.MaxBytes, 0)
		all = append(all, index)
	}
	return all
}

// indexed returns the type of what an index of a column has: of a collection that is not frozen an
// element.
func indexed(t *cqltype.Type, part stream.IndexPart) *cqltype.Type {
	switch {
	case t.Frozen:
		return t
	case t.Kind == cqltype.List,
		t.Kind == cqltype.Set,
		t.Kind == cqltype.Map && part == stream.IndexKeys:
		return t.Elems[0]
	case t.Kind == cqltype.Map && part == stream.IndexValues:
		return t.Elems[1]
	default:
		return t
	}
}

// isFrozen reports whether values have parts and are one cell (IndexTermType: Capability.FROZEN).
func isFrozen(t *cqltype.Type) bool {
	return t.Kind == cqltype.Tuple || t.Kind != cqltype.Map && len(t.Elems) > 0 || t.Frozen
}

// indexFunction is a target that has a part of a collection
// (org.apache.cassandra.index.TargetParser).
var indexFunction = regexp.MustCompile(`^(keys|entries|values|full)\((.+)\)$`)

// indexTarget takes the target of an index apart: the column, and what of a collection.
func indexTarget(target string) (column string, part stream.IndexPart) {
	function := ""
	if m := indexFunction.FindStringSubmatch(target); m != nil {
		function, target = m[1], m[2]
	}
	if n := len(target); n > 1 && target[0] == '"' {
		target = strings.ReplaceAll(target[1:n-1], `""`, `"`)
	}
	switch function {
	case "keys":
		part = stream.IndexKeys
	case "entries":
		part = stream.IndexEntries
	}
	return target, part
}
