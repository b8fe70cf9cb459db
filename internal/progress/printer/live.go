package printer

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// Clear clears the current line of a terminal, which may be the live line of another program.
const Clear = "\r\x1b[K"

// live keeps one line on a terminal up to date, and clears it at the end. Of several programs on
// one terminal, as in a pipe, one draws for all.
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

// erase clears a line of that many characters, drawn when the terminal had before columns. If the
// terminal has become narrower, the line takes several lines now.
func erase(length, before, columns int) string {
	if columns >= before || columns < 1 || length <= columns {
		return Clear
	}
	return fmt.Sprintf("\x1b[%dA\r\x1b[J", (length-1)/columns)
}
