package report

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/compare/measure"
)

// terminal returns a terminal with the given width. The function returns the
// text that was written to it.
func terminal(t *testing.T, width uint16) (tty *os.File, written func() string) {
	t.Helper()
	screen, tty, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(screen, &pty.Winsize{Rows: 25, Cols: width}))
	text := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, screen) // ends with an error when the terminal is closed
		text <- b.String()
	}()
	return tty, func() string {
		require.NoError(t, tty.Close())
		defer screen.Close()
		return <-text
	}
}

func TestBarStaysOnItsLine(t *testing.T) {
	for _, width := range []uint16{40, 200} {
		for _, doing := range []string{"measuring", "reading a-file-with-a-very-long-name-" + strings.Repeat("x", 200)} {
			tty, written := terminal(t, width)
			step, finish := Progress(tty, doing, 4)
			_, err := tty.WriteString("|")
			require.NoError(t, err)
			for range 4 {
				step()
				time.Sleep(110 * time.Millisecond) // a bar is drawn ten times a second
			}
			finish()
			text := written()
			first, _, _ := strings.Cut(text, "|")
			assert.Contains(t, first, "%", "it is drawn before the first step")
			assert.NotContains(t, text, "\n")
			for drawn := range strings.SplitSeq(text, "\r") {
				drawn = strings.TrimRight(drawn, " ")
				assert.LessOrEqual(t, utf8.RuneCountInString(drawn), int(width), "%q", drawn)
			}
		}
	}
}

func TestTextFitsTheTerminal(t *testing.T) {
	row := widest()
	r := &Report{Results: &measure.Results{Data: &measure.Dataset{About: strings.Repeat("keys ", 100)}, Rows: []measure.Row{row}}}
	for terminalColumns, want := range map[uint16]int{60: 60, 80: 80, 100: 100, 200: mostColumns, 10: leastColumns} {
		tty, written := terminal(t, terminalColumns)
		require.NoError(t, Write(tty, r, "text"))
		text := written()
		assert.Equal(t, plainText(r, want), strings.ReplaceAll(text, "\r\n", "\n"))
	}
	assert.Equal(t, mostColumns, columns(&bytes.Buffer{}))
	assert.Equal(t, mostColumns, columns(nil))
}
