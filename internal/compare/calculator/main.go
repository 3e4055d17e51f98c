//go:build js && wasm

// Command calculator makes package advice available to a web page. It defines
// the JavaScript function filterfamAdvise(form), which takes an advice.Form and
// returns an advice.Answer, both as JSON.
package main

import (
	"encoding/json"
	"syscall/js"

	"github.com/filterfam/filterfam/internal/advice"
)

func main() {
	js.Global().Set("filterfamAdvise", js.FuncOf(func(_ js.Value, args []js.Value) any {
		text, err := json.Marshal(answer(args))
		if err != nil {
			return `{"error":"the answer has no JSON form"}`
		}
		return string(text)
	}))
	select {}
}

func answer(args []js.Value) advice.Answer {
	if len(args) != 1 || args[0].Type() != js.TypeString {
		return advice.Answer{Error: "want one argument, the form as JSON"}
	}
	var form advice.Form
	if err := json.Unmarshal([]byte(args[0].String()), &form); err != nil {
		return advice.Answer{Error: err.Error()}
	}
	return form.Answer()
}
