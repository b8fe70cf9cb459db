package printer

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// Clear takes away what stands on the present line of a terminal: a live line, perhaps of
// another program.
const Clear = "\r\x1b[K"

// live keeps one line on a terminal up to date, and takes it away at the end. Of several
// programs on one terminal, as in a pipe, one draws for all.
func live(
	ctx context.Context,
	s screen,
	read func(time.Time) progress.Reading,
	color bool,
	every time.Duration,
) {
	defer s.leave()
	drawn, width := 0, 0
	var c composer
	draw := func(now time.Time) {
		own := read(now)
		others := s.meet(own)
		if !s.claim() {
			return
		}
		before := width
		width = s.width()
		text := c.compose(
			append(others.before, append([]progress.Reading{own}, others.after...)...),
			width,
		)
		fmt.Fprint(s, erase(drawn, before, width)+text.String(color))
		drawn = utf8.RuneCountInString(text.String(false))
	}
	draw(time.Now())
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			if s.claim() {
				fmt.Fprint(s, erase(drawn, width, s.width()))
			}
			return
		case now := <-ticker.C:
			draw(now)
		}
	}
}

// erase takes away a line of so many characters that was drawn when the terminal had so
// many columns before: one that has become too narrow for it has broken it into several.
func erase(length, before, columns int) string {
	if columns >= before || columns < 1 || length <= columns {
		return Clear
	}
	return fmt.Sprintf("\x1b[%dA\r\x1b[J", (length-1)/columns)
}
