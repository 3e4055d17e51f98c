package report

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
)

// A kind is rows of one kind: a slice of structs whose fields have JSON names.
type kind struct {
	name string
	rows any
}

// recordTable puts all rows into one table of every field, as CSV wants it. Its
// last column says which of the kinds a row is of; the fields of others are
// empty.
func recordTable(kinds ...kind) table {
	var t table
	for _, k := range kinds {
		for _, f := range fields(reflect.TypeOf(k.rows).Elem()) {
			if t.place(f) < 0 {
				t.Columns = append(t.Columns, column{name: f.Tag.Get("json")})
			}
		}
	}
	t.Columns = append(t.Columns, column{name: "table"})
	for _, k := range kinds {
		rows := reflect.ValueOf(k.rows)
		for i := range rows.Len() {
			cells := make([]string, len(t.Columns))
			cells[len(cells)-1] = k.name
			for _, f := range fields(rows.Type().Elem()) {
				cells[t.place(f)] = exactly(rows.Index(i).FieldByIndex(f.Index))
			}
			t.lines = append(t.lines, line{Cells: cells})
		}
	}
	return t
}

// place returns the column of a field, or -1.
func (t table) place(f reflect.StructField) int {
	return slices.IndexFunc(t.Columns, func(c column) bool { return c.name == f.Tag.Get("json") })
}

// fields returns the fields of a struct that have a JSON name.
func fields(of reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(of), func(f reflect.StructField) bool {
		return f.Tag.Get("json") == "" || f.Tag.Get("json") == "-"
	})
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
