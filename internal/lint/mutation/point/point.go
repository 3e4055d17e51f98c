// Package point is what instrumented code calls instead of its operators. Every
// call carries the number of a mutant. A call records that a test reached the
// mutant, and computes what the mutant does instead if that mutant is on.
package point

import (
	"cmp"
	"os"
	"strconv"
)

// The environment variables of an instrumented process.
const (
	On    = "MUTATION_ON"    // the number of the mutant that is on
	Reach = "MUTATION_REACH" // a file of Size bytes: byte i is 1 if mutant i was reached
	CPU   = "MUTATION_CPU"   // milliseconds of processor time until the process exits
)

// Size is the largest number of mutants in a package.
const Size = 1 << 14

// The exit codes of a process that the watchdog ends.
const (
	ExitCPU    = 97
	ExitMemory = 98
)

// maxMemory is the number of bytes at which the watchdog ends a process.
const maxMemory = 3 << 30

var (
	on      = number(On, -1)
	reached = area(os.Getenv(Reach))
)

func init() {
	if limit := number(CPU, 0); limit > 0 {
		go watch(limit)
	}
}

// number returns the number in an environment variable, or otherwise if there
// is none.
func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// at records that mutant id was reached, and reports whether it is on.
func at(id int) bool {
	reached[id%Size] = 1
	return on == id
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type real interface {
	integer | ~float32 | ~float64
}

// Add returns a + b; mutant id returns a - b.
func Add[T real](id int, a, b T) T {
	if at(id) {
		return a - b
	}
	return a + b
}

// Sub returns a - b; mutant id returns a + b.
func Sub[T real](id int, a, b T) T {
	if at(id) {
		return a + b
	}
	return a - b
}

// Mul returns a * b; mutant id returns a / b.
func Mul[T real](id int, a, b T) T {
	if at(id) {
		return a / b
	}
	return a * b
}

// Quo returns a / b; mutant id returns a * b.
func Quo[T real](id int, a, b T) T {
	if at(id) {
		return a * b
	}
	return a / b
}

// Rem returns a % b; mutant id returns a * b.
func Rem[T integer](id int, a, b T) T {
	if at(id) {
		return a * b
	}
	return a % b
}

// Neg returns -a; mutant id returns a.
func Neg[T real](id int, a T) T {
	if at(id) {
		return a
	}
	return -a
}

// One returns 1, by which a statement such as x++ changes x; mutant id returns
// -1.
func One[T real](id int) T {
	one := T(1)
	if at(id) {
		return -one
	}
	return one
}

// Not returns c; mutant id returns its negation.
func Not(id int, c bool) bool { return c != at(id) }

// Less returns a < b; mutant id returns a <= b, and mutant id+1 the negation.
func Less[T cmp.Ordered](id int, a, b T) bool {
	if at(id) {
		return a <= b
	}
	return (a < b) != at(id+1)
}

// LessEqual returns a <= b; mutant id returns a < b, and mutant id+1 the
// negation.
func LessEqual[T cmp.Ordered](id int, a, b T) bool {
	if at(id) {
		return a < b
	}
	return (a <= b) != at(id+1)
}

// Greater returns a > b; mutant id returns a >= b, and mutant id+1 the
// negation.
func Greater[T cmp.Ordered](id int, a, b T) bool {
	if at(id) {
		return a >= b
	}
	return (a > b) != at(id+1)
}

// GreaterEqual returns a >= b; mutant id returns a > b, and mutant id+1 the
// negation.
func GreaterEqual[T cmp.Ordered](id int, a, b T) bool {
	if at(id) {
		return a > b
	}
	return (a >= b) != at(id+1)
}
