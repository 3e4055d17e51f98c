//go:build js && wasm

// Command calculator is package advice for a page: a function
// filterfamAdvise(needs) that takes and returns JSON.
package main

import (
	"encoding/json"
	"strings"
	"syscall/js"

	"github.com/filterfam/filterfam/internal/compare/advice"
)

func main() {
	js.Global().Set("filterfamAdvise", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return advise(args)
	}))
	select {}
}

func advise(args []js.Value) string {
	var answer struct {
		Choices []advice.Choice `json:"choices"`
		Error   string          `json:"error"`
	}
	fail := func(err error) string {
		answer.Error = err.Error()
		text, _ := json.Marshal(answer)
		return string(text)
	}
	if len(args) != 1 || args[0].Type() != js.TypeString {
		return `{"error":"want one argument, the needs as JSON"}`
	}
	var needs advice.Needs
	decoder := json.NewDecoder(strings.NewReader(args[0].String()))
	if err := decoder.Decode(&needs); err != nil {
		return fail(err)
	}
	var err error
	if answer.Choices, err = advice.For(needs); err != nil {
		return fail(err)
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return fail(err)
	}
	return string(text)
}
