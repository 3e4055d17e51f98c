// Package sample has a mutant of every verdict.
package sample

const two = 1 + 1 // must stay constant

type table [2 * two]int

// Clamp returns x or most, whichever is smaller. If they are equal, it does not
// matter which.
func Clamp(x, most int) int {
	if x > most {
		return most
	}
	return x
}

// Sum returns the sum of the numbers below n. It never returns if i falls.
func Sum(n uint8) (sum int) {
	for i := uint8(0); i != n; i++ {
		sum += int(i)
	}
	return sum
}

// Wait sleeps forever unless a and b are equal.
func Wait(a, b int) {
	if a == b {
		return
	}
	select {}
}

// Greet adds strings, and constants of a type that is not the default.
func Greet(name string) (string, uint64) {
	return "hello " + name, 1<<40 + 2*two
}

// Low returns -x / 3 as a float, with a constant quotient that is an integer.
func Low(x float64) float64 { return -x/3 + float64(1/two) }

// Unused is not tested.
func Unused(a, b int) int { return a * b }

// Weak is tested badly.
func Weak(a, b int) int { return a % b }
