package hashfam

import (
	"fmt"
	"strconv"
)

// String names the family by its check value. The key stays hidden.
func (f Family) String() string {
	if f.Public() {
		return "public"
	}
	return "keyed:" + strconv.FormatUint(f.CheckValue(), 16)
}

// Format prints [Family.String] for every verb and flag that package fmt asks
// it for, which is all but the misplaced %p and %w, so that no format shows the
// key.
func (f Family) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// String hides the key.
func (k Key) String() string { return "hashfam.Key(hidden)" }

// Format prints [Key.String], with the limits of [Family.Format]. To store a
// key, write its bytes: k[:].
func (k Key) Format(s fmt.State, _ rune) { fmt.Fprint(s, k.String()) }
