// Package measure measures the size, the rate and the times of filters, and the
// errors of structures that count, from filterfam and from other libraries. All
// structures get the same keys.
package measure
