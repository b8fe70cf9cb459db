// Package levenshtein measures how far apart two names are, for hints about names
// that were misspelt.
package levenshtein

// Distance is the Levenshtein distance of a and b in bytes: how many bytes must be
// added, removed or replaced to turn one into the other. It takes time in
// proportion to the product of their lengths.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j+1]+1, row[j]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
