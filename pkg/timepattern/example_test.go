package timepattern_test

import (
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/timepattern"
)

func Example() {
	in, err := timepattern.Parse("d/M/yyyy HH:mm")
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := timepattern.Parse("%Y-%m-%dT%H:%M:%S%z")
	if err != nil {
		fmt.Println(err)
		return
	}
	if m, ok := in.Read([]byte("1/3/2024 07:08")); ok {
		text, _ := out.Append(nil, m.Time(time.UTC))
		fmt.Println(string(text))
	}
	// Output: 2024-03-01T07:08:00+0000
}
