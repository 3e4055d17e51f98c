// open returns the filter in a frame of docs/format.md: a Bloom filter (kind 1)
// or a static filter (kind 7) of the public family. It throws an Error if the
// frame is damaged or contains anything else. The key is a string or its bytes:
//
//	open(await (await fetch("list.bin")).arrayBuffer()).has("key")

const { ceil, floor, imul, min } = Math, carry = 2 ** 32;
const check = (ok, text) => { if (!ok) throw new Error("filterfam: " + text); };
const crcTable = Int32Array.from({ length: 256 }, (_, c) => { for (let k = 8; k > 0; k--) c = c >>> 1 ^ (c & 1 && 0x82f63b78); return c; });
function crc32c(bytes) {
  let c = -1;
  for (let i = 0; i < bytes.length; i++) c = (c >>> 8) ^ crcTable[(c ^ bytes[i]) & 255];
  return BigInt(~c >>> 0);
}
let xh = 0, xl = 0; // the halves of x, a number of 64 bits
const encoder = new TextEncoder(), ascii = []; // encode is slow
function bytesOf(key) {
  if (key instanceof Uint8Array) return key;
  check(typeof key === "string", "a key is a string or a Uint8Array");
  ascii.length = key.length;
  for (let i = 0; i < key.length; i++) if ((ascii[i] = key.charCodeAt(i)) > 127) return encoder.encode(key);
  return ascii;
}
// hash sets x to the digest of a key: SipHash-2-4 under a key of zeros.
function hash(key) {
  let ah = 0x736f6d65, al = 0x70736575, bh = 0x646f7261, bl = 0x6e646f6d, mh = 0, ml = 0, s = 0, t = 0;
  let ch = 0x6c796765, cl = 0x6e657261, dh = 0x74656462, dl = 0x79746573;
  const n = key.length, words = (n >>> 3) + 1;
  for (let w = 0; w <= words; w++) {
    mh = w === words - 1 ? n << 24 : 0; ml = 0;
    for (let i = 8 * w, end = min(i + 8, n); i < end; i++) if (i & 4) mh |= key[i] << 8 * i; else ml |= key[i] << 8 * i;
    dh ^= mh; dl ^= ml; cl ^= w === words ? 255 : 0;
    for (let round = w < words ? 2 : 4; round > 0; round--) {
      s = (al >>> 0) + (bl >>> 0); ah = (ah + bh + (s >= carry)) | 0; al = s | 0;
      t = bh; bh = (bh << 13 | bl >>> 19) ^ ah; bl = (bl << 13 | t >>> 19) ^ al; t = ah; ah = al; al = t;
      s = (cl >>> 0) + (dl >>> 0); ch = (ch + dh + (s >= carry)) | 0; cl = s | 0;
      t = dh; dh = (dh << 16 | dl >>> 16) ^ ch; dl = (dl << 16 | t >>> 16) ^ cl;
      s = (al >>> 0) + (dl >>> 0); ah = (ah + dh + (s >= carry)) | 0; al = s | 0;
      t = dh; dh = (dh << 21 | dl >>> 11) ^ ah; dl = (dl << 21 | t >>> 11) ^ al;
      s = (cl >>> 0) + (bl >>> 0); ch = (ch + bh + (s >= carry)) | 0; cl = s | 0;
      t = bh; bh = (bh << 17 | bl >>> 15) ^ ch; bl = (bl << 17 | t >>> 15) ^ cl; t = ch; ch = cl; cl = t;
    }
    ah ^= mh; al ^= ml;
  }
  xh = ah ^ bh ^ ch ^ dh; xl = al ^ bl ^ cl ^ dl;
}
// high returns the high half of the product of two numbers of 32 bits.
function high(a, b) {
  const al = a & 65535, ah = a >>> 16, bl = b & 65535, bh = b >>> 16, t = ah * bl + (al * bl >>> 16);
  return ah * bh + (t >>> 16) + (al * bh + (t & 65535) >>> 16);
}
// next sets x to x(0), and then to x(1), x(2), ...
function next() {
  xh = high(xl, 0xde82ef95) + imul(xl, 0xd1342543) + imul(xh, 0xde82ef95) | 0; xl = imul(xl, 0xde82ef95);
}
// reduce returns R(x, n).
function reduce(n) {
  if (n >= carry) return Number((BigInt(xh >>> 0) << 32n | BigInt(xl >>> 0)) * BigInt(n) >> 64n);
  return high(xh, n) + ((imul(xh, n) >>> 0) + high(xl, n) >= carry);
}
// bloom returns a function that reports whether the key with the digest x is in
// the filter of a header and a payload. So does ribbon.
function bloom(head, body) {
  const m = Number(head.getBigUint64(24, true)), k = head.getUint8(32), layout = head.getUint8(33);
  const end = 8 * body.byteLength, has = (i) => body.getUint8(floor(i / 8)) >> i % 8 & 1;
  check(head.getBigUint64(32, true) >> 16n === 0n && k > 0 && m > 0 && m <= 2 ** 48 && m % [1, k, 512][layout] === 0, "parameters");
  check(end === 64 * ceil(m / 64), "length of the payload");
  for (let i = m; i < end; i++) check(!has(i), "bits after the last");
  return () => {
    const line = layout === 2 ? (next(), 512 * reduce(m / 512)) : 0;
    for (let i = 0; i < k; i++) {
      next();
      if (!has(layout === 2 ? line + (xh >>> 23) : layout ? i * (m / k) + reduce(m / k) : reduce(m))) return false;
    }
    return true;
  };
}
function ribbon(head, body) {
  const keys = Number(head.getBigUint64(24, true)), c = head.getUint32(32, true), r = ceil(c / 65536), count = head.getUint32(36, true);
  check(keys <= 2 ** 48 && r > 0 && r <= 32 && count <= 32 && !keys === !count, "parameters");
  const within = (n) => check(n <= body.byteLength, "length of the payload");
  within(8 * (count - 1));
  const sizes = Array.from({ length: count }, (_, i) => i ? Number(body.getBigUint64(8 * i - 8, true)) : keys);
  check(sizes.every((n, i) => n > 0 && !(n > sizes[i - 1])), "number of keys in a layer");
  const threshold = (at, b) => body.getUint8(at + (b >> 1)) >> 4 * (b & 1) & 15;
  let at = 8 * (count && count - 1);
  const layers = sizes.map((n, i) => {
    const m = i ? floor((floor(n * 20 / 19) + 63) / 64) : floor((floor(n * 50 / 51) + 32) / 64);
    const p = m - min(m, floor((m + 1024) / 1025)) || 1, buckets = ceil(p / 4), thresholds = at, slots = at + 8 * ceil(buckets / 16);
    const q = floor(p * (65536 * r - c) / 65536), narrow = q + floor(q / 1024);
    const begin = (g) => slots + 8 * (r * g - min(narrow, g)); // of segment g
    at = begin(p + ceil(p / 1024));
    within(at);
    for (let b = buckets; b < 2 * (slots - thresholds); b++) check(!threshold(thresholds, b), "thresholds after the last");
    return { starts: 64 * p, narrow, thresholds, begin };
  });
  check(at === body.byteLength, "length of the payload");
  // sum returns a number with the parity of the bits of a word that l and h select.
  const sum = (at, l, h) => body.getInt32(at, true) & l ^ body.getInt32(at + 4, true) & h;
  return () => {
    for (const { starts, narrow, thresholds, begin } of layers) {
      next();
      const s = reduce(starts), g = floor(s / 64) + floor(s / 65536), t = s % 32, high = s % 64 > 31;
      next();
      const h = xh, l = xl ^ xh | 1, v0 = l << t, v1 = t ? h << t | l >>> 32 - t : h, v2 = t ? h >>> 32 - t : 0;
      next();
      if (min(s % 256 >> 3, 14) < threshold(thresholds, floor(s / 256))) continue;
      const width = g < narrow ? r - 1 : r;
      for (let j = 0, i = begin(g), k = begin(g + 1); j < width; j++, i += 8, k += 8) {
        let v = high ? sum(i, 0, v0) ^ sum(k, v1, v2) : sum(i, v0, v1) ^ sum(k, v2, 0);
        v ^= v >>> 16; v ^= v >>> 8; v ^= v >>> 4;
        if ((0x6996 >> (v & 15) ^ xh >>> j) & 1) return false;
      }
      return true;
    }
    return false;
  };
}
const kinds = [, "a Bloom filter", "a counting Bloom filter", "a cuckoo filter", "a count-min sketch", "heavy hitters", "a top k",
  "a static filter", "an exact filter", "a minimal perfect hash function", "a perfect hash filter", "a scalable Bloom filter",
  "a scalable cuckoo filter", "a rotating Bloom filter", "a window of heavy hitters", "a Bloom filter delta", "a journal"];

export function open(data) {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data), end = bytes.length - 8;
  check(end >= 64, "length of the frame");
  const view = (from, to) => new DataView(bytes.buffer, bytes.byteOffset + from, to - from);
  const head = view(0, 64), body = view(64, end), sum = view(end, end + 8).getBigUint64(0, true);
  check(head.getUint32(0, true) === 0x6d6166f1, "not a frame of a filter");
  check(bytes[4] === 1 || bytes[4] === 7, `cannot read ${kinds[bytes[4]] ?? `kind ${bytes[4]}`}: only a Bloom filter or a static filter`);
  check(bytes[5] === 1, `cannot read version ${bytes[5]} of ${kinds[bytes[4]]}`);
  check(head.getUint16(6, true) === 16, "length of the parameters");
  check(end % 8 === 0 && head.getBigUint64(16, true) === BigInt(end - 64), "length of the frame");
  check(head.getBigUint64(56, true) === crc32c(bytes.subarray(0, 56)), "checksum of the header");
  check(bytes.subarray(40, 56).every((b) => b === 0), "zeros of the header");
  check(head.getBigUint64(8, true) === 0x925fb7cf74fec682n, "another hash family");
  check(sum === crc32c(bytes.subarray(0, end)), "checksum");
  const contains = bytes[4] === 1 ? bloom(head, body) : ribbon(head, body);
  return { has: (key) => (hash(bytesOf(key)), contains()) };
}
