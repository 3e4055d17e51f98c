package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTextFitsTheTerminal(t *testing.T) {
	screen, tty, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(screen, &pty.Winsize{Rows: 25, Cols: 80}))
	written := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, screen) // ends with an error when the terminal is closed
		written <- b.String()
	}()
	var stderr bytes.Buffer
	code := run(t.Context(), []string{"-n", "2000", "-fpr", "0.01,0.0001", "-o", ""}, nil, tty, &stderr)
	require.NoError(t, tty.Close())
	text := <-written
	require.NoError(t, screen.Close())
	require.Equal(t, exitOK, code, stderr.String())
	for drawn := range strings.SplitSeq(text, "\r\n") {
		assert.LessOrEqual(t, utf8.RuneCountInString(drawn), 80, drawn)
	}
	assert.Contains(t, text, "Left out to fit into 80 columns: 95% interval, also.")
}
