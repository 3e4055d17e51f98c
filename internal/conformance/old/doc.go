// Package conformance tests the properties that the structures of filterfam
// share. A package declares what is special about its structure in a [Suite],
// in its properties_test.go, of which that of counting is a good example. The
// declaration is run as a test and as two fuzz targets:
//
//	func TestConformance(t *testing.T) { suite.Run(t) }
//	func FuzzProgram(f *testing.F)     { suite.FuzzProgram(f) }
//	func FuzzFrames(f *testing.F)      { suite.FuzzFrames(f) }
//
// What a structure can do is not declared. The suite finds it by interfaces: a
// [Structure] has the methods that all have; Add, ContainsOrAdd, Delete,
// Remove, Contains, Count, Estimate, Index and Value are tested in every form
// that is there (bytes, String, Digest, All), and so are Merge, Clone, Reset
// and Len. Methods without arguments, or with another structure as the only
// one, are taken for reads: they must not change the structure, and a view must
// return the same. A method whose name looks like a form of a key but which the
// suite does not know is an error. Parameters that differ in one field are made
// by reflection.
//
// Two properties are driven by bytes, which fuzzers know how to change. A
// program is a sequence of any operations, in any form, with copies and
// encodings in between; the structure must always be what the plain operations
// make of another one, and must contain an exact multiset of keys. Frames are
// decoded as they are, or changed in several places with correct checksums, and
// what can be decoded is used. Their inputs are kept in testdata/fuzz/NAME.txt,
// see [FuzzBytes]. The other properties concern the encoding in all its forms,
// damage and hostile lengths, views, texts, golden files, output that must not
// show the key, reads at the same time, and allocations.
//
// Every property can fail: the tests of this package run it on structures with
// a defect each.
package old
