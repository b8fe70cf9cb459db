package chaos

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// value is a value in all its forms; the zero value is null.
type value struct {
	wire   []byte
	plain  string // as delimited text has it, without quotes
	json   string
	quoted bool // delimited text has it in quotes, whatever it is
}

func bigint(n int64) value {
	return value{
		wire:  binary.BigEndian.AppendUint64(nil, uint64(n)),
		plain: strconv.FormatInt(n, 10),
		json:  strconv.FormatInt(n, 10),
	}
}

func integer(n int32) value {
	return value{
		wire:  binary.BigEndian.AppendUint32(nil, uint32(n)),
		plain: fmt.Sprint(n),
		json:  fmt.Sprint(n),
	}
}

func boolean(b bool) value {
	v := value{wire: []byte{0}, plain: fmt.Sprint(b), json: fmt.Sprint(b)}
	if b {
		v.wire[0] = 1
	}
	return v
}

func text(s string) value {
	quoted, _ := json.Marshal(s)
	return value{wire: []byte(s), plain: s, json: string(quoted), quoted: s == ""}
}

func blob(b []byte) value {
	s := "0x" + hex.EncodeToString(b)
	return value{wire: b, plain: s, json: `"` + s + `"`}
}

// list is a list that is not empty: one that is, and is not frozen, is null.
func list(elements []value) value {
	v := value{wire: binary.BigEndian.AppendUint32(nil, uint32(len(elements)))}
	var texts []string
	for _, e := range elements {
		v.wire = append(binary.BigEndian.AppendUint32(v.wire, uint32(len(e.wire))), e.wire...)
		texts = append(texts, e.plain)
	}
	v.plain = "[" + strings.Join(texts, ", ") + "]"
	v.json = v.plain
	return v
}

// null says that there is no value.
func (v value) null() bool { return v.wire == nil }

// delimited is the value as a field, with quotes where they are needed.
func (v value) delimited() string {
	if v.quoted || strings.ContainsAny(v.plain, ",\"\r\n") {
		return `"` + strings.ReplaceAll(v.plain, `"`, `""`) + `"`
	}
	return v.plain
}

// object is the value as JSON.
func (v value) object() string {
	if v.null() {
		return "null"
	}
	return v.json
}

// letters are what texts are made of: ASCII, what formats must quote, and characters
// of several bytes.
var letters = []rune("abcdefghij 0123456789\",;\t\n\\'ß漢🎲")

// drawText makes a text, without quotes and line ends when it is plain.
func drawText(r *rand.Rand, most int, plain bool) string {
	var s strings.Builder
	for range r.IntN(most + 1) {
		letter := letters[r.IntN(len(letters))]
		if plain && strings.ContainsRune("\",\n", letter) {
			letter = '.'
		}
		s.WriteRune(letter)
	}
	return s.String()
}

// draw makes a value of a type that is no counter.
func draw(r *rand.Rand, typ string, plain bool) value {
	switch typ {
	case "bigint":
		return bigint(int64(r.Uint64()))
	case "int":
		return integer(int32(r.Uint32()))
	case "boolean":
		return boolean(chance(r, 2))
	case "blob":
		b := make([]byte, r.IntN(12))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return blob(b)
	case "list<int>":
		n := 1
		if !plain {
			n += r.IntN(3)
		}
		elements := make([]value, n)
		for i := range elements {
			elements[i] = integer(int32(r.Uint32()))
		}
		return list(elements)
	default:
		v := text(drawText(r, 20, plain))
		if plain && v.plain == "" {
			return text("x")
		}
		return v
	}
}
