// Package cutrunner is a runner for tests. It runs each stage of a pipeline in
// bundles of a few elements, several at a time, and repeats those that fail, as
// the runners of a cluster do. A test chooses the attempts that fail, and at
// which point.
//
// A worker's copy of a function is made of its serialized form, and is used
// again after an attempt that failed. What passes between two stages is encoded
// and written to a file; or, if the test asks for it, it is handed on as it is,
// and compared with its encoding at the end of each bundle, stage and job. A
// stage sees only the output of attempts that succeeded, in no particular
// order, and starts when the one before it has ended.
//
// It runs what filterbeam uses: ParDo without side inputs, splittable or not,
// GroupByKey, Combine, Flatten, all in the global window.
package cutrunner
