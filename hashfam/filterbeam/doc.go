// Package filterbeam builds filterfam's structures from more keys than a single
// machine should read. The builds are Apache Beam jobs. The engine that runs
// them is Prism, in this process, or Flink, Spark or Dataflow.
//
//   - choose what to build: [Bloom], [Static], [Cuckoo], [Sketch] and so on
//   - add the lines of files: [Files]
//   - add a collection of the pipeline: [Build]
//   - build many small filters: [Combine]
//   - use a secret family: [RegisterFamily]
//   - build filters that are larger than a machine: [Plan.Parts], package parts
//   - inspect the result: [Result], [Summary]
//   - remove files that failed jobs left: [Clean]
//
// For example:
//
//	plan, err := filterbeam.Bloom(bloom.Config{Capacity: 1e9, FPRate: 0.01})
//	p, s := beam.NewPipelineWithRoot()
//	filterbeam.Files(s, plan, "/data/out.bin", "/data/keys/*.txt")
//	result, err := prism.Execute(ctx, p)
//
// Unless the plan has parts, [Files] and [Build] write one frame to a file,
// which every program that uses the library can read. The frame is identical to
// the frame that a single process writes, as far as the structure allows:
//
//	Bloom, Counting     identical
//	Static              identical
//	Sketch              identical, unless it is Conservative
//	Cuckoo              depends only on the set of keys
//	Heavy               the same guarantees
//
// The command filterbuild, in the folder of the same name, runs Files from the
// shell. The command filterfam, in hashfam/cmd, needs no engine.
//
// Beam can use a file system only if the program imports its package. A program
// that reads or writes local files needs the import
//
//	import _ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
//
// For files at gs:// or s3://, import filesystem/gcs or filesystem/s3 instead.
// Without the import, the jobs of Files and Build fail with an error such as:
// file system scheme "default" not registered. Errors about parameters,
// families, and damaged frames and indexes match an error of package [hashfam],
// unless an engine returns a worker's error as text.
//
// For readers of the code: job.go contains a job's stages in their order. There
// are five ways to divide the work among tasks. Each is an implementation of
// the interface design, which design.go documents, in a file of its own,
// *_design.go. Every stage counts the keys that it passes on, and tally.go
// compares these numbers, so that a job fails instead of losing keys.
//
// docs/distributed.md describes when an engine is worth its cost, how the work
// is divided, and what happens when a worker fails.
package filterbeam
