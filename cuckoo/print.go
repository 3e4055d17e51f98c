package cuckoo

import (
	"fmt"
	"log/slog"
)

// String describes the filter in one line, without its key.
func (f Filter) String() string { return fmt.Sprintf("cuckoo.Filter(%v)", f.params) }

// Format prints [Filter.String] for every verb, as [hashfam.Family.Format]
// does.
func (f Filter) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns [Filter.String] for structured logs.
func (f Filter) LogValue() slog.Value { return slog.StringValue(f.String()) }

// String describes the view in one line, without its key.
func (v View) String() string { return fmt.Sprintf("cuckoo.View(%v)", v.params) }

// Format prints [View.String] for every verb and flag, like [Filter.Format].
func (v View) Format(s fmt.State, _ rune) { fmt.Fprint(s, v.String()) }

// LogValue returns [View.String] for structured logs.
func (v View) LogValue() slog.Value { return slog.StringValue(v.String()) }

// String describes the filter in one line, without its key.
func (s Scalable) String() string { return fmt.Sprintf("cuckoo.Scalable(%v)", s.config) }

// Format prints [Scalable.String] for every verb, like [Filter.Format].
func (s Scalable) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue returns [Scalable.String] for structured logs.
func (s Scalable) LogValue() slog.Value { return slog.StringValue(s.String()) }
