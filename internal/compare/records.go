package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
)

// recordTable puts all rows into one table of every field, as CSV wants it. Its
// last column says which of the two kinds a row is of; the fields of the other
// kind are empty.
func recordTable(rows []row, frequency []frequencyRow) table {
	var t table
	for _, kind := range []reflect.Type{reflect.TypeFor[row](), reflect.TypeFor[frequencyRow]()} {
		for _, f := range fields(kind) {
			if !slices.ContainsFunc(t.columns, func(c column) bool { return c.name == f.Tag.Get("json") }) {
				t.columns = append(t.columns, column{name: f.Tag.Get("json")})
			}
		}
	}
	t.columns = append(t.columns, column{name: "table"})
	for _, x := range rows {
		t.lines = append(t.lines, record(t.columns, x, "filters"))
	}
	for _, x := range frequency {
		t.lines = append(t.lines, record(t.columns, x, "counts"))
	}
	return t
}

// fields returns the fields of a struct that have a JSON name.
func fields(kind reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(kind), func(f reflect.StructField) bool { return f.Tag.Get("json") == "" })
}

// record returns the fields of a struct, each under the column of its name.
func record(columns []column, from any, kind string) line {
	cells := make([]string, len(columns))
	cells[len(cells)-1] = kind
	value := reflect.ValueOf(from)
	for _, f := range fields(value.Type()) {
		i := slices.IndexFunc(columns, func(c column) bool { return c.name == f.Tag.Get("json") })
		cells[i] = exactly(value.FieldByIndex(f.Index))
	}
	return line{cells: cells}
}

// exactly writes a value so that reading it gives the same value. A nil pointer
// is empty.
func exactly(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil():
		return ""
	case v.Kind() == reflect.Pointer:
		return exactly(v.Elem())
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

func (t table) writeCSV(w io.Writer) error { return csv.NewWriter(w).WriteAll(t.records()) }
