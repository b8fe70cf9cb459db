package cli

import (
	"bytes"
	"context"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
)

// watchEvery is the time between two looks at what status shows.
const watchEvery = time.Second

// wipe clears a terminal and puts the cursor at its top left.
const wipe = "\x1b[H\x1b[2J"

// watch shows repeatedly what show writes, until the context ends. On a terminal the newest
// replaces the one before; elsewhere each change is written below. An error is shown like any
// answer, because the next run may be about to begin.
func watch(ctx context.Context, s streams, show func(s streams, width int) error) error {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	return watchAt(ctx, s, ticker.C, show)
}

func watchAt(
	ctx context.Context,
	s streams,
	look <-chan time.Time,
	show func(s streams, width int) error,
) error {
	var before []byte
	for {
		var text bytes.Buffer
		shown := s
		shown.out = &text
		if err := show(shown, printer.Width(s.out)); err != nil {
			text.WriteString(safetext.Line(safetext.Error(err)) + "\n")
		}
		now := bytes.Clone(text.Bytes())
		if !bytes.Equal(now, before) {
			if printer.IsTerminal(s.out) {
				now = append([]byte(wipe), now...)
			} else if before != nil {
				now = append([]byte("\n"), now...)
			}
			if _, err := s.out.Write(now); err != nil {
				return fatal(err)
			}
			before = text.Bytes()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-look:
		}
	}
}
