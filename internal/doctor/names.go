package doctor

import "github.com/cqlbulk/cqlbulk/internal/human"

// Names says whether names that the user gave occur in the input.
func Names(samples []Sample) []Finding {
	var out []Finding
	for _, s := range readable(samples) {
		if len(s.Unmet) > 0 && s.Rows > s.Bad {
			out = append(
				out,
				Warn(
					"see how the members are called; those inside of an object have its name and a dot before their own",
					"%s: no object of the first %s has a member called %s, which --map or --skipcols names",
					s.Name,
					human.Count(s.Rows),
					some(s.Unmet),
				),
			)
		}
	}
	return out
}
