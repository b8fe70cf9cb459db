package driver

import (
	"slices"
	"strings"
)

// readableClass says whether the library can read a type that is given as the name
// of a Java class. Of such names it reads those of vectors, and what is in them;
// others it takes for opaque, except that the bare name of a collection, which no
// server sends, throws it off.
func readableClass(class string) bool {
	name, inVector := strings.CutPrefix(class, marshal+"VectorType")
	if !inVector {
		return !slices.Contains(parameterized, strings.TrimPrefix(class, marshal))
	}
	rest, ok := skipClass(class, 0)
	return ok && rest == "" && strings.HasPrefix(name, "(")
}

const marshal = "org.apache.cassandra.db.marshal."

var parameterized = []string{"ListType", "MapType", "SetType", "TupleType", "UserType", "VectorType", "FrozenType"}

// skipClass takes a class off the front of a text. ok is false when the library
// could not read it.
func skipClass(s string, depth int) (rest string, ok bool) {
	end := strings.IndexAny(s, "(),")
	if end < 0 {
		end = len(s)
	}
	word := strings.TrimSpace(s[:end])
	name := strings.TrimPrefix(word, marshal)
	if name == "" || depth > deepest {
		return "", false
	}
	known := slices.Contains(parameterized, name)
	if end == len(s) || s[end] != '(' {
		return s[end:], !known
	}
	var arguments []string
	for s = s[end+1:]; ; s = s[1:] {
		from := s
		if s, ok = skipClass(s, depth+1); !ok || s == "" {
			return "", false
		}
		arguments = append(arguments, from[:len(from)-len(s)])
		if s[0] == ')' {
			return s[1:], !known || enough(name, arguments)
		}
		if s[0] != ',' {
			return "", false
		}
	}
}

// enough says whether a class has the arguments that the library looks for. Of a user
// type they are its keyspace, its name, and the fields as name:class, which the
// library takes apart at every colon.
func enough(name string, arguments []string) bool {
	switch name {
	case "MapType", "VectorType":
		return len(arguments) == 2
	case "UserType":
		return len(arguments) > 2 && !slices.ContainsFunc(arguments[2:], func(field string) bool {
			return strings.Count(field, ":") != 1
		})
	default:
		return true
	}
}
