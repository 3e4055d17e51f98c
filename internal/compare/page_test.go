package main

import (
	"bytes"
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/compare/advice"
)

// chromium returns how to start a browser without a window.
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

// dump opens a page and returns its document once the calculator has answered.
// A browser without a window ends when all is loaded, so the page is served
// with a picture that arrives when the answer is there.
func dump(t *testing.T, browser, page, hash string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	const watch = `<img src="/hold"><script>
new MutationObserver(() => fetch("/answered")).observe(document.getElementById("choices"), {childList: true, attributes: true});
</script>`
	answered := make(chan struct{}, 100)
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(bytes.Replace(text, []byte("<h2 id=\"space\""), []byte(watch+"<h2 id=\"space\""), 1))
	})
	mux.HandleFunc("/answered", func(http.ResponseWriter, *http.Request) { answered <- struct{}{} })
	mux.HandleFunc("/hold", func(http.ResponseWriter, *http.Request) {
		select {
		case <-answered:
		case <-time.After(time.Minute):
		}
	})
	server := httptest.NewServer(mux)
	defer server.Close()

	cmd := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+t.TempDir(), "--dump-dom", server.URL+"/"+hash)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}

var answerAttribute = regexp.MustCompile(`data-answer="([^"]*)"`)

func TestThePageCalculatesWhatTheLibraryDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the library for the page")
	}
	dir := t.TempDir()
	code, stdout, stderr := compare(t, "-n", "1000", "-fpr", "0.1", "-structures", "bloom", "-o", dir)
	require.Equal(t, exitOK, code, stderr)
	page := filepath.Join(dir, "report.html")
	assert.Contains(t, stdout, page)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.NotRegexp(t, `(src|href)\s*=\s*["']?(https?:)?//`, string(text), "one page, no other file")
	assert.Contains(t, string(text), "<svg")

	browser := chromium(t)
	for _, c := range []struct {
		hash  string
		needs advice.Needs
	}{
		{"", advice.Needs{Keys: 1_000_000, Rate: 0.01}},
		{"#keys=5_000_000&rate=0.1&delete=1", advice.Needs{Keys: 5_000_000, Rate: 0.001, Delete: true}},
		{"#keys=1000&rate=5&counts=1", advice.Needs{Keys: 1000, Rate: 0.05, Counts: true}},
		{"#keys=1000000&rate=0.01&memory=1", advice.Needs{Keys: 1_000_000, Rate: 0.0001, Memory: 1 << 20}},
		{"#keys=none&rate=1", advice.Needs{Rate: 0.01}},
	} {
		document := dump(t, browser, page, c.hash)
		found := answerAttribute.FindStringSubmatch(document)
		require.NotNil(t, found, c.hash)
		var got struct {
			Choices []advice.Choice
			Error   string
		}
		require.NoError(t, json.Unmarshal([]byte(html.UnescapeString(found[1])), &got))
		want, err := advice.For(c.needs)
		assert.Equal(t, want, got.Choices, c.hash)
		if err != nil {
			assert.Equal(t, err.Error(), got.Error)
			assert.Contains(t, document, html.EscapeString(err.Error()))
			continue
		}
		assert.Contains(t, document, want[0].Literal)
	}
}

func TestAPageWithoutACalculatorSaysWhy(t *testing.T) {
	r := report{data: &dataset{about: "No keys."}}
	name, err := r.writePage(t.TempDir(), calculator{err: assert.AnError}, nil)
	require.NoError(t, err)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Contains(t, string(text), "The calculator is missing: "+assert.AnError.Error())
	assert.NotContains(t, string(text), "<script")
}
