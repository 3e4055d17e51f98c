package cuckoo_test

import (
	"fmt"
	"strings"

	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/internal/data"
)

// A stream without repetitions: each request for a page of a shop that was not
// made among the last 5,000 different ones is passed on. What leaves the
// window is deleted, so the filter never holds more than the window, however
// long the stream. Only what is not found is added: a second copy would have to
// be deleted too, and a page that is wrongly found is one passed on too few.
func Example_streamWithExpiry() {
	const window = 5000
	recent, err := cuckoo.New(cuckoo.Config{Capacity: window, FPRate: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	var queue []string // the requests in the filter, oldest first
	exact := map[string]bool{}
	requests, passed, wrong := data.RequestsWeb12(), 0, 0
	for _, page := range requests {
		found, err := recent.ContainsOrAddString(page)
		if err != nil {
			fmt.Println(err)
			return
		}
		if found {
			if !exact[page] {
				wrong++
			}
			continue
		}
		passed++
		exact[page] = true
		if queue = append(queue, page); len(queue) == window {
			recent.DeleteString(queue[0])
			delete(exact, queue[0])
			queue = queue[1:]
		}
	}
	fmt.Printf("%d requests, %d passed on, %d wrongly held back\n", len(requests), passed, wrong)
	fmt.Printf("%d in the window, %d bytes in memory\n", recent.Len(), recent.SizeBytes())
	// Output:
	// 95607 requests, 21060 passed on, 20 wrongly held back
	// 4999 in the window, 8488 bytes in memory
}

// Throw-away mail addresses are refused. The list of their domains changes:
// what is taken off it is deleted, which a Bloom filter cannot do.
func Example_disposableMail() {
	domains := data.DisposableEmailDomains()
	disposable, err := cuckoo.New(cuckoo.Config{Capacity: uint64(len(domains)), FPRate: 0.001, Compact: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, domain := range domains {
		if err := disposable.AddString(domain); err != nil {
			fmt.Println(err)
			return
		}
	}
	refused := func(address string) bool {
		_, domain, _ := strings.Cut(address, "@")
		return disposable.ContainsString(strings.ToLower(domain))
	}
	fmt.Println(refused("someone@mailinator.com"), refused("someone@example.org"))

	disposable.DeleteString("mailinator.com") // if it is reformed one day
	fmt.Println(refused("someone@mailinator.com"), refused("someone@"+domains[0]))

	listed := map[string]bool{}
	for _, domain := range domains {
		listed[domain] = true
	}
	rightly, wrongly := 0, 0
	ordinary := data.BenignDomains()
	for _, domain := range ordinary {
		switch {
		case !disposable.ContainsString(domain):
		case listed[domain]:
			rightly++
		default:
			wrongly++
		}
	}
	fmt.Printf("%d domains in %d bytes\n", disposable.Len(), disposable.SizeBytes())
	fmt.Printf("of %d much used domains %d are found rightly, %d wrongly\n", len(ordinary), rightly, wrongly)
	// Output:
	// true false
	// false true
	// 8334 domains in 12984 bytes
	// of 19717 much used domains 5 are found rightly, 21 wrongly
}

// Known passwords are refused. A password that is wrongly found costs its owner
// another thought, so one in a thousand is rare enough; a known one is always
// found.
func Example_knownPasswords() {
	list := data.Passwords()
	known, err := cuckoo.New(cuckoo.Config{Capacity: uint64(len(list)), FPRate: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, password := range list {
		if err := known.AddString(password); err != nil {
			fmt.Println(err)
			return
		}
	}
	for _, password := range []string{"password", "letmein", "correct horse battery staple"} {
		fmt.Printf("%q refused: %v\n", password, known.ContainsString(password))
	}
	missed := 0
	for _, password := range list {
		if !known.ContainsString(password) {
			missed++
		}
	}
	text := 0
	for _, password := range list {
		text += len(password)
	}
	fmt.Printf("%d missed; %d bytes for %d letters\n", missed, known.SizeBytes(), text)
	// Output:
	// "password" refused: true
	// "letmein" refused: true
	// "correct horse battery staple" refused: false
	// 0 missed; 16848 bytes for 72751 letters
}
