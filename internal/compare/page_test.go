package main

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/advice"
	"github.com/filterfam/filterfam/internal/compare/report"
)

// chromium returns a browser's path.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium here: the page is not opened")
	return ""
}

// dump opens a page and returns its document when the calculator has answered.
// A headless browser exits when everything is loaded. For this reason, the page
// contains an image that is not sent before the answer.
func dump(t *testing.T, browser, page, hash string) string {
	t.Helper()
	const watch = `<img src="/hold"><script>
new MutationObserver(() => fetch("/answered")).observe(document.getElementById("choices"), {attributes: true});
</script>`
	answered := make(chan struct{}, 100)
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Replace(read(t, page), "</main>", watch+"</main>", 1))
	})
	mux.HandleFunc("/answered", func(http.ResponseWriter, *http.Request) { answered <- struct{}{} })
	mux.HandleFunc("/hold", func(http.ResponseWriter, *http.Request) {
		select {
		case <-answered:
		case <-time.After(10 * time.Minute):
		}
	})
	mux.HandleFunc("/frame/{width}", func(w http.ResponseWriter, r *http.Request) { // a window cannot be as narrow as a frame
		fmt.Fprintf(w, `<body><script>document.body.innerHTML = '<iframe width="%s" height="844" src="/' + location.hash + '"></iframe>'</script>`, r.PathValue("width"))
	})
	server := httptest.NewServer(mux)
	defer server.Close()

	cmd := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+t.TempDir(), "--dump-dom", server.URL+"/"+hash)
	cmd.WaitDelay = time.Minute
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}

// contains is assert.Contains for texts that are too long to print.
func contains(t *testing.T, text, want string) {
	t.Helper()
	assert.True(t, strings.Contains(text, want), "no %s", want)
}

// writtenPage runs the program and returns its page.
func writtenPage(t *testing.T) (name, text string) {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles the library for the page")
	}
	dir := t.TempDir()
	code, stdout, stderr := compare(t, "-n", "1000", "-fpr", "0.05", "-structures", "bloom,holiman", "-o", dir)
	require.Equal(t, exitOK, code, stderr)
	name = filepath.Join(dir, "report.html")
	assert.Contains(t, stdout, name)
	return name, read(t, name)
}

func TestPageIsComplete(t *testing.T) {
	month := func() string { return time.Now().UTC().Format("2006-01-") }
	before := month()
	_, text := writtenPage(t)
	assert.True(t, strings.Contains(text, before) || strings.Contains(text, month()), "no date")
	assert.Empty(t, regexp.MustCompile(`(src|href)\s*=\s*["']?(https?:)?//`).FindString(text), "one page, no other file")
	for _, want := range []string{
		`<main>`, `</main>`, `<svg role="img" aria-label="What a key costs: bits per key against false-positive rate"`,
		`<title>What a key costs: bits per key against false-positive rate</title>`, `<noscript>`,
		`countmin.NewHeavyHitters(`, `countmin.NewWindow`, `bloom.NewRotating(`, `const addTimes = {"bloom":`,
		`<pre tabindex="0">`, `code.tabIndex = 0`, `<details><summary>Third-party libraries</summary>`,
		html.EscapeString(report.ThisMachine(nil).CPU), report.ThisMachine(nil).Go, "-n 1000 -fpr 0.05 -structures bloom,holiman",
	} {
		contains(t, text, want)
	}
	main, peers, _ := strings.Cut(text, "<details>")
	assert.False(t, strings.Contains(main, `<td class="left">holiman`))
	contains(t, peers, "<td class=\"left\">holiman")
	contains(t, main, ">holiman</text>")
	without, _, _ := strings.Cut(text, "<script>")
	assert.False(t, strings.Contains(without, "loading"), "without scripts nothing is")
}

// The page reads its fields from the address. Its calculator, which has
// pointers of 32 bits, answers as the library does.
func TestPageShowsTheLibrarysAnswers(t *testing.T) {
	browser := chromium(t)
	page, text := writtenPage(t)
	var forms []advice.Form
	for i := range 5 * 32 {
		form := advice.Form{Rate: "1", Fixed: i&1 > 0, Guess: i&2 > 0, Delete: i&4 > 0, Counts: i&8 > 0}
		if i&16 > 0 {
			form.Rate, form.Memory = "", "12000"
		}
		form.Keys = []string{"1e6", "1e9", "1e10", "1e13", "1e14"}[i/32]
		forms = append(forms, form)
	}
	asked, err := json.Marshal(forms)
	require.NoError(t, err)
	addScript(t, page, text, "if (!location.hash) document.body.dataset.others = JSON.stringify("+string(asked)+
		".map(form => JSON.parse(filterfamAdvise(JSON.stringify(form)))));")
	for hash, form := range map[string]advice.Form{
		"": {Keys: "1000000", Rate: "1"},
		"#keys=1e9&fixed=1&guess=1&delete=1&counts=1": {Keys: "1e9", Rate: "1", Fixed: true, Guess: true, Delete: true, Counts: true},
		"#keys=none&rate=2,5&memory=10M":              {Keys: "none", Rate: "2,5", Memory: "10M"},
		"#rate=0.1&memory=0.001":                      {Keys: "1000000", Rate: "0.1", Memory: "0.001"},
	} {
		document := dump(t, browser, page, hash)
		if hash == "" {
			var others []advice.Answer
			answered(t, document, "others", &others)
			for i := range forms {
				require.Equal(t, forms[i].Answer(), others[i], "%+v", forms[i])
			}
		}
		var got advice.Answer
		answered(t, document, "answer", &got)
		want := form.Answer()
		assert.Equal(t, want, got, hash)
		shown := html.UnescapeString(document)
		for field, problem := range want.Fields {
			contains(t, shown, `id="`+field+`-error" role="alert">`+problem+"<")
		}
		for _, choice := range want.Choices {
			contains(t, shown, `<code tabindex="0">`+choice.Literal+"<")
		}
		contains(t, shown, ">"+want.Error+"<")
	}
}

// answered decodes a data attribute.
func answered(t *testing.T, document, name string, answers any) {
	t.Helper()
	found := regexp.MustCompile(`data-` + name + `="([^"]*)"`).FindStringSubmatch(document)
	require.NotNil(t, found, name)
	require.NoError(t, json.Unmarshal([]byte(html.UnescapeString(found[1])), answers))
}

// addScript adds a script that runs when the calculator has answered.
func addScript(t *testing.T, page, text, script string) {
	t.Helper()
	const watch = `<script>new MutationObserver(() => { %s }).observe(document.getElementById("choices"), {attributes: true});</script></body>`
	text = strings.Replace(text, "</body>", fmt.Sprintf(watch, script), 1)
	require.NoError(t, os.WriteFile(page, []byte(text), 0o600))
}

// Input changes the address, and the address sets the fields.
func TestAddressKeepsTheFields(t *testing.T) {
	browser := chromium(t)
	page, text := writtenPage(t)
	addScript(t, page, text, `
		const rate = document.getElementById("needs").elements.rate;
		if (rate.value === "0.5") return;
		rate.value = "0.5";
		rate.dispatchEvent(new Event("input", {bubbles: true}));
		document.body.dataset.address = location.hash;`)
	document := dump(t, browser, page, "#keys=1_000&delete=1")
	contains(t, document, `data-address="#keys=1_000&amp;rate=0.5&amp;memory=&amp;delete=1"`)
}

// shownFor returns the calculator's answer on the page, without tags.
func shownFor(t *testing.T, browser, page, hash string) string {
	t.Helper()
	_, answer, found := strings.Cut(dump(t, browser, page, hash), `<div id="choices"`)
	require.True(t, found)
	_, answer, _ = strings.Cut(answer, ">")
	answer, _, _ = strings.Cut(answer, "<ul")
	return html.UnescapeString(regexp.MustCompile("<[^>]*>").ReplaceAllString(answer, " "))
}

func TestPageIsPlain(t *testing.T) {
	browser := chromium(t)
	page, _ := writtenPage(t)
	limited := shownFor(t, browser, page, "#keys=87e6&rate=1&memory=45")
	contains(t, limited, "The memory limit raises the rate from 1% to 12.4%.")
	contains(t, limited, "adding all keys takes at least ")
	contains(t, limited, " if the structure is larger than the processor's cache")
	contains(t, shownFor(t, browser, page, "#rate=&memory=1"), "The lowest rate is ")
	small := shownFor(t, browser, page, "#keys=1&rate=50%25")
	contains(t, small, " 8 bytes, ")
	assert.NotContains(t, small, "(8 bytes)")
	usual := shownFor(t, browser, page, "#keys=10000&rate=1")
	contains(t, usual, "adding all keys takes about ")
	assert.NotRegexp(t, `[0-9]e[+-]`, usual, "no exponents")
	assert.NotContains(t, usual, "memory limit")
}

func TestPageFitsPhoneAndDesktop(t *testing.T) {
	browser := chromium(t)
	page, text := writtenPage(t)
	addScript(t, page, strings.ReplaceAll(text, "<details>", "<details open>"),
		`const wider = [document.documentElement, document.querySelector("figure")].map(e => e.scrollWidth - e.clientWidth);
		parent.document.body.dataset.wider = Math.max(...wider);
		const heights = [...document.querySelectorAll("figure text")].map(e => e.getBoundingClientRect().height);
		parent.document.body.dataset.readable = heights.length > 10 && Math.min(...heights) >= 11;`)
	for _, hash := range []string{"390#memory=1", "1280#memory=1", "390#keys=" + strings.Repeat("9", 100)} {
		document := dump(t, browser, page, "frame/"+hash)
		assert.Equal(t, `data-wider="0"`, regexp.MustCompile(`data-wider="[^"]*"`).FindString(document))
		contains(t, document, `data-readable="true"`)
	}
}
