// Package data provides small real data sets, which are used by the comparison
// program, the examples and the tests. README.md in this directory states the
// source and the license of each.
package data

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"
)

//go:embed *.gz
var files embed.FS

// MaliciousDomains returns 18,147 domains that served malware, sorted.
// BenignDomains returns other domains.
func MaliciousDomains() []string { return lines(text("malicious-domains.txt.gz")) }

// BenignDomains returns 19,717 distinct ordinary domains: the 10,000 most
// requested ones in rank order, then a random sample without these.
func BenignDomains() []string {
	seen := make(map[string]bool)
	return slices.DeleteFunc(append(lines(text("benign-domains-top.txt.gz")), lines(text("benign-domains-random.txt.gz"))...), func(domain string) bool {
		known := seen[domain]
		seen[domain] = true
		return known
	})
}

// EnglishWords returns the 104,334 entries of an American English dictionary,
// in mixed case, some with apostrophes or accents.
func EnglishWords() []string { return lines(text("words-en.txt.gz")) }

// DisposableEmailDomains returns 8,335 domains of disposable email addresses.
func DisposableEmailDomains() []string { return lines(text("disposable-email-domains.txt.gz")) }

// Passwords returns 10,000 passwords in common use, including vulgar ones.
func Passwords() []string { return lines(text("passwords.txt.gz")) }

// WeblogPaths returns the 10,000 request paths in a web server's log, ordered
// by time. There are 1,498 distinct paths.
func WeblogPaths() []string { return lines(text("weblog-paths.txt.gz")) }

// RequestsWeb12 returns 95,607 requests for product pages in a shop, ordered by
// time. A request is a page number. There are 13,756 distinct pages.
func RequestsWeb12() []string { return lines(text("requests-web12.txt.gz")) }

// MobyDick returns the text of the novel; Tokens splits it into 219,047 words.
func MobyDick() string { return text("moby-dick.txt.gz") }

// Tokens returns the words of text in lower case: the maximal runs of ASCII
// letters. All other bytes are separators, so an accented letter splits a word.
func Tokens(text string) []string {
	lowered := []byte(text)
	for i, c := range lowered {
		if 'A' <= c && c <= 'Z' {
			lowered[i] = c + ('a' - 'A')
		}
	}
	return strings.FieldsFunc(string(lowered), func(r rune) bool { return r < 'a' || r > 'z' })
}

// A Passage is part of the King James Bible. It has a readable name, for
// example "psalm-14".
type Passage struct {
	ID   string
	Text string
}

// Passages returns 30 passages. ParallelPassages lists the pairs with the same
// content.
func Passages() []Passage {
	var list []Passage
	for _, line := range lines(text("passages.tsv.gz")) {
		id, text, _ := strings.Cut(line, "\t")
		list = append(list, Passage{ID: id, Text: text})
	}
	return list
}

// ParallelPassages returns the names of the 15 pairs of passages that are known
// to be parallel. The other 420 pairs of Passages are unrelated.
func ParallelPassages() [][2]string {
	return [][2]string{
		{"2kings-18.13-19.37", "isaiah-36-37"},
		{"2kings-24.18-25.21", "jeremiah-52.1-27"},
		{"psalm-14", "psalm-53"},
		{"2samuel-22", "psalm-18"},
		{"1chronicles-17", "2samuel-7"},
		{"ezra-2", "nehemiah-7.6-73"},
		{"isaiah-2.2-4", "micah-4.1-3"},
		{"matthew-13.1-23", "mark-4.1-20"},
		{"matthew-13.1-23", "luke-8.4-15"},
		{"mark-4.1-20", "luke-8.4-15"},
		{"matthew-24", "mark-13"},
		{"matthew-24", "luke-21.5-36"},
		{"mark-13", "luke-21.5-36"},
		{"exodus-20.1-17", "deuteronomy-5.6-21"},
		{"exodus-26", "exodus-36.8-38"},
	}
}

// text unpacks a file. Since all files are embedded, an error must be a mistake
// in the build.
func text(name string) string {
	packed := must(files.ReadFile(name))
	return string(must(io.ReadAll(must(gzip.NewReader(bytes.NewReader(packed))))))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("data: %v", err))
	}
	return value
}

// lines returns the lines of text without the newlines.
func lines(text string) []string {
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
