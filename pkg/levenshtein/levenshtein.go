// Package levenshtein measures the distance between names, to suggest corrections for misspelt
// names.
//
// Start with [Nearest], which selects the closest of several names. [Distance] returns the distance
// of two. The functions have no state and are safe for concurrent use.
//
// Source: the Levenshtein distance by the algorithm of Wagner and Fischer (1974), with one row of
// the table.
package levenshtein

// Distance returns the Levenshtein distance of a and b in bytes: the fewest bytes to add, remove or
// replace to turn one into the other. The time is proportional to the product of their lengths.
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
