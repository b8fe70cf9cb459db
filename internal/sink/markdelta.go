package sink

import "fmt"

// Since returns what a mark has beyond an earlier one of the same output, so that a journal need
// not repeat every finished file. The result has the series that have changed, each with the files
// finished since and the open one. Without an earlier mark (nil) it has everything. [Mark.Extend]
// is the inverse.
func (m *Mark) Since(earlier *Mark) *Mark {
	if earlier == nil {
		return m
	}
	before := make(map[int]*SeriesMark, len(earlier.Series))
	for i := range earlier.Series {
		before[earlier.Series[i].Worker] = &earlier.Series[i]
	}
	news := &Mark{Compression: m.Compression, Series: []SeriesMark{}}
	for _, s := range m.Series {
		if old := before[s.Worker]; old != nil {
			if len(s.Done) == len(old.Done) && s.Open == old.Open {
				continue
			}
			s.Done = s.Done[len(old.Done):]
		}
		news.Series = append(news.Series, s)
	}
	return news
}

// Extend adds the result of [Mark.Since] to the earlier mark. The mark must not share memory with
// another.
func (m *Mark) Extend(news *Mark) error {
	m.Compression = news.Compression
	at := make(map[int]int, len(m.Series))
	for i := range m.Series {
		at[m.Series[i].Worker] = i
	}
	for _, s := range news.Series {
		i, ok := at[s.Worker]
		if !ok {
			i = len(m.Series)
			at[s.Worker] = i
			m.Series = append(m.Series, SeriesMark{Worker: s.Worker})
		}
		old := &m.Series[i]
		if len(s.Done) > 0 && s.Done[0].Number != len(old.Done)+1 {
			return fmt.Errorf(
				"the journal has file %d of worker %d where %d would come",
				s.Done[0].Number,
				s.Worker,
				len(old.Done)+1,
			)
		}
		old.Done = append(old.Done, s.Done...)
		old.Open = s.Open
	}
	return nil
}
