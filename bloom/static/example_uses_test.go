package static_test

import (
	"fmt"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/internal/data"
)

// A system rejects passwords that are in common use or one edit away from one
// (Manber and Wu, Information Processing Letters 50, 1994). Two words that
// differ by one inserted, deleted or changed letter become equal if at most one
// letter is deleted from each. So the filter holds every password and what is
// left of it without one letter, and the same words are made of a password that
// someone chooses. The filter has no false negatives, so each such password is
// rejected.
func Example_unsuitablePasswords() {
	b, err := static.NewBuilder(static.Config{FPRate: 0.0001})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, password := range data.Passwords() {
		b.AddAllStrings(shortened(password))
	}
	unsuitable, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d words in %d bytes\n", unsuitable.Len(), unsuitable.SizeBytes())
	for _, password := range []string{"password", "passw0rd", "pasword", "dragon7", "monkye", "uncommonly", "7 gray whales"} {
		rejected := false
		for _, found := range unsuitable.ContainsAllStrings(nil, shortened(password)) {
			rejected = rejected || found
		}
		fmt.Printf("%-13s rejected: %v\n", password, rejected)
	}
	// Output:
	// 73907 words in 124280 bytes
	// password      rejected: true
	// passw0rd      rejected: true
	// pasword       rejected: true
	// dragon7       rejected: true
	// monkye        rejected: true
	// uncommonly    rejected: false
	// 7 gray whales rejected: false
}

// shortened returns word, and what is left of it without one of its bytes.
func shortened(word string) []string {
	words := []string{word}
	for i := range len(word) {
		words = append(words, word[:i]+word[i+1:])
	}
	return words
}
