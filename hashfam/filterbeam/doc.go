// Package filterbeam builds the structures of filterfam from more keys than one
// machine should read, as jobs of Apache Beam: in this process (Prism), on
// Flink, Spark or Dataflow.
//
//   - say what to build: [Bloom], [Static], [Cuckoo], [Sketch] and the like
//   - add the lines of files: [Files], or without an engine [Local]
//   - add a collection of the pipeline: [Build]
//   - many small filters: [Combine]
//   - a secret family for the workers: [RegisterFamily]
//   - ask filters larger than a machine: [Plan.Parts], and package parts
//   - inspect: [Result], [Summary]; remove what failed jobs left: [Clean]
//
// [Files], [Local] and [Build] write one frame to a file. Every program that
// uses the library reads it, and it is bit for bit the frame of a single
// process, as far as the structure allows:
//
//	Bloom, Counting     identical
//	Static              identical
//	Sketch              identical, unless it is Conservative
//	Cuckoo              depends on the set of keys only
//	Heavy, TopK         the same guarantees
//
// The command filterbuild, in the folder of that name, is Local and Files for
// the shell.
//
// Beam finds a file system only if the program imports its package. A program
// that reads or writes local files needs
//
//	import _ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
//
// and one with files at gs:// or s3:// imports filesystem/gcs or filesystem/s3.
// Otherwise Files, Build and Local fail with the error: file system scheme
// "default" not registered.
//
// docs/distributed.md says when an engine is worth it, how the work is divided,
// and what happens if a worker fails.
package filterbeam
