// Package filterbeam builds the structures of filterfam from more keys than one
// machine should read, as jobs of Apache Beam: in this process (Prism), on
// Flink, Spark or Dataflow.
//
// A [Plan] says what to build. [Files] reads the keys from the lines of files,
// [Build] takes them from a collection of the pipeline. Both write one frame to
// a file. Every program that uses the library reads it, and it is bit for bit
// the frame of a single process, as far as the structure allows:
//
//	Bloom, Counting     identical
//	Static              identical
//	Sketch              identical, unless it is Conservative
//	Cuckoo              depends on the set of keys only
//	Heavy, TopK         the same guarantees
//
// [Local] does the same in a loop, without an engine. [Combine] builds many
// small filters. The command filterbuild, in the folder of that name, is Local
// and Files for the shell.
//
// docs/distributed.md says when an engine is worth it, how the work is divided,
// and what happens if a worker fails.
package filterbeam
