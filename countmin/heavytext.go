package countmin

import (
	"log/slog"

	"github.com/filterfam/filterfam/internal/frame"
)

// AppendText appends the text form of h, the base64 of its encoding, to dst. Its
// errors are those of [HeavyHitters.AppendBinary].
func (h *HeavyHitters) AppendText(dst []byte) ([]byte, error) {
	encoded, err := h.AppendBinary(nil)
	return frame.AppendText(dst, encoded, err)
}

// MarshalText returns the text form of h: [HeavyHitters.AppendText] to nil.
func (h *HeavyHitters) MarshalText() ([]byte, error) { return h.AppendText(nil) }

// MarshalJSON returns the text form as a JSON string. Unlike MarshalText it also
// serves a HeavyHitters that is a value in a struct.
func (h HeavyHitters) MarshalJSON() ([]byte, error) { return frame.JSON(h.AppendBinary(nil)) }

// UnmarshalText decodes a text form into h. Its family and errors are those of
// [HeavyHitters.UnmarshalBinary].
func (h *HeavyHitters) UnmarshalText(text []byte) error {
	encoded, err := frame.FromText(text, errs)
	if err != nil {
		return err
	}
	return h.UnmarshalBinary(encoded)
}

// AppendText appends the text form of k, the base64 of its encoding, to dst. Its
// errors are those of [TopK.AppendBinary].
func (k *TopK) AppendText(dst []byte) ([]byte, error) {
	encoded, err := k.AppendBinary(nil)
	return frame.AppendText(dst, encoded, err)
}

// MarshalText returns the text form of k: [TopK.AppendText] to nil.
func (k *TopK) MarshalText() ([]byte, error) { return k.AppendText(nil) }

// MarshalJSON returns the text form as a JSON string. Unlike MarshalText it also
// serves a TopK that is a value in a struct.
func (k TopK) MarshalJSON() ([]byte, error) { return frame.JSON(k.AppendBinary(nil)) }

// UnmarshalText decodes a text form into k. Its family and errors are those of
// [TopK.UnmarshalBinary].
func (k *TopK) UnmarshalText(text []byte) error {
	encoded, err := frame.FromText(text, errs)
	if err != nil {
		return err
	}
	return k.UnmarshalBinary(encoded)
}

// LogValue returns a group for structured logs: n, the total, the size in bits,
// and the Params. O(1) time.
func (h HeavyHitters) LogValue() slog.Value {
	return logValue(h.Total(), h.SizeBytes(), h.String())
}

// LogValue returns a group for structured logs, as [HeavyHitters.LogValue]
// does.
func (k TopK) LogValue() slog.Value { return logValue(k.Total(), k.SizeBytes(), k.String()) }

func logValue(total, bytes uint64, params string) slog.Value {
	return slog.GroupValue(slog.Uint64("n", total), slog.Uint64("bits", 8*bytes), slog.String("params", params))
}
