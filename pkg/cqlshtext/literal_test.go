package cqlshtext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLiterals(t *testing.T) {
	null := Options{Null: "NULL"}
	for _, c := range []struct {
		name, typ, text, want string
		o                     Options
	}{
		{name: "blanks", typ: "list<int>", text: " [ 1 ,\t2 ] ", want: "[1, 2]"},
		{name: "blank list", typ: "list<text>", text: "[ ]", want: "[]"},
		{name: "empty last text", typ: "list<text>", text: "['a', ]", want: "['a', '']"},
		{name: "bare texts", typ: "list<text>", text: `[a "b" c, x(1,2)y, rock'n'roll]`, want: `['a "b" c', 'x(1,2)y', 'rock''n''roll']`},
		{name: "null is a text in a list", typ: "list<text>", text: "[NULL, 'NULL', None]", want: "['NULL', 'NULL', 'None']", o: null},
		{name: "brackets in quotes", typ: "set<text>", text: `{'[', '}', ',', ''''}`, want: `{'[', '}', ',', ''''}`},
		{name: "quoted numbers", typ: "list<int>", text: "['1', '2']", want: "[1, 2]"},
		{name: "thousands", typ: "list<int>", text: "[1.234,5.000]", want: "[1234, 5000]", o: Options{ThousandsSep: "."}},
		{name: "nested", typ: "list<frozen<map<int, frozen<tuple<text, int>>>>>", text: "[{1: ('a', 2), 2: ('b,)', None)}, {}]", want: "[{1: ('a', 2), 2: ('b,)', null)}, {}]"},
		{name: "nested vector", typ: "vector<vector<float, 2>, 2>", text: "[[1, 2], [3, 4]]", want: "[[1, 2], [3, 4]]"},
		{name: "vector of texts", typ: "vector<text, 3>", text: "['a', '', b]", want: "['a', '', 'b']"},
		{name: "time keys", typ: "map<time, time>", text: "{12:34:56.5: 01:02:03.000000000, '1:00:00': 2:00:00}", want: "{'12:34:56.5': '01:02:03', '01:00': '02:00'}"},
		{name: "bare address keys", typ: "map<inet, int>", text: "{::1: 1, 1.2.3.4:2, '::2':3}", want: "{'::1': 1, '1.2.3.4': 2, '::2': 3}"},
		{name: "bare timestamp keys", typ: "map<timestamp, frozen<list<int>>>", text: "{2015-12-13 09:46:40.000+0000: [1]}", want: "{1450000000000: [1]}"},
		{name: "colons in a bare value", typ: "map<text, text>", text: "{a: b:c}", want: "{'a': 'b:c'}"},
		{name: "empty value", typ: "map<int, double>", text: "{1: , 2: 3}", want: "{1: 0x, 2: 3}"},
		{name: "empty text value", typ: "map<int, ascii>", text: "{1: , 2: ''}", want: "{1: '', 2: ''}", o: null},
		{name: "tuple of nulls", typ: "tuple<int, timestamp, inet, text, boolean>", text: "(None, 'None', 'None', 'None', null)", want: "(null, null, null, 'None', null)"},
		{name: "tuple word for null", typ: "tuple<int, text>", text: "(NULL, NULL)", want: "(null, 'NULL')", o: null},
		{name: "tuple empty", typ: "tuple<int, text>", text: "( , )", want: "(null, '')"},
		{name: "empty tuple", typ: "tuple<int, text>", text: "()", want: "()"},
		{name: "field word for null", typ: "addr", text: "{street: NULL, zip: NULL}", want: "{street: null, zip: null}", o: null},
		{name: "field word in quotes", typ: "addr", text: "{street: 'NULL', zip: 1}", want: "{street: 'NULL', zip: 1}", o: null},
		{name: "field empty text", typ: "addr", text: "{street: , zip: 1}", want: "{street: '', zip: 1}", o: null},
		{name: "no fields", typ: "addr", text: "{}", want: "{street: null, zip: null}"},
		{name: "no fields at all", typ: "none", text: "{}", want: "{}"},
		{name: "folded names", typ: "addr", text: "{ZIP : 5, \"street\": x}", want: "{street: 'x', zip: 5}"},
		{name: "names as they are", typ: "odd", text: "{class: 1, Mixed: 2, a,b: 3, a: x:y, x\ty: 0, _z: True, back\\slash: {street: 'x', zip: }}", want: "{class: 1, \"Mixed\": 2, \"a,b\": 3, a: 'x:y', \"x\ty\": 0, \"_z\": true, \"back\\slash\": {street: 'x', zip: null}}"},
		{name: "names of COPY TO", typ: "odd", text: "{field_0_: 1, Mixed: 2, field_2_: 3, a: 'x', field_4_: '1970-01-01 00:00:00.000+0000', field_5_: True, field_6_: {street: 'x', zip: 5}}", want: "{class: 1, \"Mixed\": 2, \"a,b\": 3, a: 'x', \"x\ty\": 0, \"_z\": true, \"back\\slash\": {street: 'x', zip: 5}}"},
		{name: "names escaped", typ: "odd", text: `{x\ty: 0, back\\slash: {}}`, want: "{class: null, \"Mixed\": null, \"a,b\": null, a: null, \"x\ty\": 0, \"_z\": null, \"back\\slash\": {street: null, zip: null}}"},
		{name: "boolean words", typ: "list<boolean>", text: "[yes, NO]", want: "[true, false]", o: yesNo},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := toWire(t, mustPlan(t, c.typ, c.o), c.text)
			require.NoError(t, err)
			require.Equal(t, wireOf(t, c.typ, c.want), got)
		})
	}
}

func TestLiteralErrors(t *testing.T) {
	null := Options{Null: "NULL"}
	runCases(t, []readCase{
		{name: "no brackets", typ: "list<int>", text: "", o: Options{Null: "x"}, want: "null"},
		{
			name: "one bracket",
			typ:  "list<int>",
			text: "[",
			err:  `invalid list<int> "[": offset 0: not between`,
		},
		{name: "brackets differ", typ: "list<int>", text: "[1}", err: "offset 0: not between"},
		{name: "two literals", typ: "list<int>", text: "[1],[2]", err: `offset 2: unexpected ']'`},
		{
			name: "open bracket",
			typ:  "list<text>",
			text: "[a, (b]",
			err:  "offset 4: bracket is not closed",
		},
		{
			name: "open quote",
			typ:  "list<text>",
			text: "[a, it's]",
			err:  "offset 6: single quote is not closed",
		},
		{
			name: "after a quote",
			typ:  "list<text>",
			text: "['a', 'b' c]",
			err:  `offset 9: unexpected " " after a closing quote`,
		},
		{
			name: "element",
			typ:  "list<frozen<list<int>>>",
			text: "[[1, 2], [3, x]]",
			err:  `invalid list<frozen<list<int>>> "[[1, 2], [3, x]]": offset 13: invalid int "x": not an integer`,
		},
		{
			name: "quoted element",
			typ:  "list<int>",
			text: "[ 'x' ]",
			err:  `offset 3: invalid int "x"`,
		},
		{
			name: "list in quotes",
			typ:  "list<frozen<list<int>>>",
			text: "['[1]']",
			err:  "offset 2: a text in quotes instead of frozen<list<int>>",
		},
		{
			name: "list missing",
			typ:  "list<frozen<list<int>>>",
			text: "[,[1]]",
			err:  "offset 1: a value is missing",
		},
		{
			name: "null in a list",
			typ:  "list<int>",
			text: "[None]",
			err:  `offset 1: invalid int "None"`,
		},
		{
			name: "null in a map",
			typ:  "map<text, text>",
			text: "{a: NULL}",
			o:    null,
			err:  "offset 4: null is only allowed in a tuple or a user type",
		},
		{
			name: "empty number in a map",
			typ:  "map<text, int>",
			text: "{a: }",
			o:    null,
			err:  "offset 4: a value is missing",
		},
		{
			name: "empty duration in a map",
			typ:  "map<text, duration>",
			text: "{a: }",
			err:  "offset 4: a value is missing",
		},
		{
			name: "empty key",
			typ:  "map<int, int>",
			text: "{: 1}",
			err:  "offset 1: a value is missing",
		},
		{
			name: "colon missing",
			typ:  "map<time, int>",
			text: "{1, 2}",
			err:  "offset 1: expected a key, ':' and a value",
		},
		{
			name: "too many in a tuple",
			typ:  "tuple<int>",
			text: "(1, 2)",
			err:  "offset 4: more than the 1 elements of tuple<int>",
		},
		{
			name: "too many in a vector",
			typ:  "vector<int, 1>",
			text: "[1, 2]",
			err:  "offset 4: more than the 1 elements of vector<int, 1>",
		},
		{
			name: "null in a vector",
			typ:  "vector<int, 1>",
			text: "[NULL]",
			o:    null,
			err:  `offset 1: invalid int "NULL"`,
		},
		{
			name: "no name",
			typ:  "addr",
			text: "{5}",
			err:  "offset 1: expected the name of a field, ':' and a value",
		},
		{
			name: "other name",
			typ:  "addr",
			text: "{street: 'x', zap: 1}",
			err:  "offset 14: addr has no field zap, only street, zip",
		},
		{
			name: "placed name of an identifier",
			typ:  "addr",
			text: "{field_0_: 'x'}",
			err:  "addr has no field field_0_",
		},
		{name: "name twice", typ: "addr", text: "{zip: 1, zip: 2}", err: "field zip occurs twice"},
		{
			name: "field",
			typ:  "addr",
			text: "{zip: x}",
			err:  `invalid addr "{zip: x}": field zip: offset 6: invalid int "x"`,
		},
		{
			name: "hex",
			typ:  "list<int>",
			text: "[0x00000001]",
			err:  "hex bytes are only allowed for a blob",
		},
		{
			name: "utf8",
			typ:  "list<text>",
			text: "['\xff']",
			err:  `offset 2: invalid text "\xff": invalid UTF-8 byte 0xff at offset 0`,
		},
		{
			name: "ascii",
			typ:  "list<ascii>",
			text: "[é]",
			err:  `offset 1: invalid ascii "é": invalid ASCII byte 0xc3 at offset 0`,
		},
	})
}
