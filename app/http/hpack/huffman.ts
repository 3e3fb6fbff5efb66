import {latin1} from '../../base/bytes.ts';

/** Encodes a text in HPACK's Huffman code (RFC 7541 §5.2). */
export function huffmanEncode(text: string): Uint8Array {
  const bytes = new Uint8Array(huffmanBytes(text));
  let [at, pending, bits] = [0, 0, 0];
  const push = (part: number, partBits: number) => {
    pending = (pending << partBits) | part;
    bits += partBits;
    for (; bits >= 8; bits -= 8) bytes[at++] = pending >>> (bits - 8);
    pending &= (1 << bits) - 1;
  };
  for (let i = 0; i < text.length; i++) {
    const symbol = text.charCodeAt(i);
    const [code, length] = [CODES[symbol] ?? 0, LENGTHS[symbol] ?? 0];
    // Up to 7 bits are pending, so a code of more than 25 bits would overflow 32 bits. Long codes are pushed in two
    // parts.
    if (length > 16) push(code >>> 16, length - 16);
    push(length > 16 ? code & 0xffff : code, Math.min(length, 16));
  }
  // The padding is the beginning of the EOS code, whose bits are all ones.
  if (bits > 0) bytes[at] = (pending << (8 - bits)) | (2 ** (8 - bits) - 1);
  return bytes;
}

/** Returns the size of the result of {@link huffmanEncode} in bytes. */
function huffmanBytes(text: string): number {
  let bits = 0;
  for (let i = 0; i < text.length; i++) bits += LENGTHS[text.charCodeAt(i)] ?? 0;
  return Math.ceil(bits / 8);
}

/** Decodes a Huffman code. Returns undefined if the code is invalid, contains EOS, or has invalid padding. */
export function huffmanDecode(bytes: Uint8Array): string | undefined {
  const bits = bytes.length * 8;
  // The shortest codes have 5 bits, so the text has at most one character for each 5 bits.
  if (decoded.length < bits / 5) decoded = new Uint8Array(Math.ceil((2 * bits) / 5));
  const text = decoded;
  let [length, at] = [0, 0];
  while (at < bits) {
    const short = at + 8 <= bits ? (SHORT[byteAt(bytes, at)] ?? 0) : 0;
    if (short > 0) {
      text[length++] = short >> 4;
      at += short & 15;
      continue;
    }
    const begin = at;
    let [node, isPadding] = [0, true];
    for (; node >= 0 && at < bits; at++) {
      const side = ((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;
      isPadding &&= side === 1;
      node = TREE[2 * node + side] ?? 0;
    }
    // The padding must be shorter than a byte and consist of ones, as in EOS.
    if (node >= 0) return at - begin < 8 && isPadding ? latin1(text.subarray(0, length)) : undefined;
    if (~node === END) return undefined;
    text[length++] = ~node;
  }
  return latin1(text.subarray(0, length));
}

/** Memory for the text that is being decoded. It is reused. */
let decoded = new Uint8Array(1024);

/** Returns the eight bits that begin at bit `at`. */
function byteAt(bytes: Uint8Array, at: number): number {
  const i = at >> 3;
  return ((((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0)) >> (8 - (at & 7))) & 0xff;
}

/** The symbol EOS, which does not represent a byte. */
const END = 256;

/**
 * Code lengths in bits for all byte values and EOS (RFC 7541 appendix B). The code is canonical: codes of equal length
 * ascend with the byte value, and shorter codes precede longer ones.
 */
// biome-ignore format: keeps the rows of the table
const LENGTHS: readonly number[] = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  30,
];

const CODES = canonicalCodes(LENGTHS);
const TREE = treeOf(CODES, LENGTHS);
const SHORT = shortCodes(CODES, LENGTHS);

function canonicalCodes(lengths: readonly number[]): readonly number[] {
  const codes = lengths.map(() => 0);
  let [code, bits] = [0, 0];
  for (const symbol of [...lengths.keys()].sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b)) {
    const length = lengths[symbol] ?? 0;
    code *= 2 ** (length - bits);
    bits = length;
    codes[symbol] = code;
    code += 1;
  }
  return codes;
}

/**
 * Builds the tree of the code. The entries at 2n and 2n + 1 are the children of node n. Each is the number of a node or
 * the bitwise complement of a symbol.
 */
function treeOf(codes: readonly number[], lengths: readonly number[]): Int16Array {
  const tree = new Int16Array(2 * lengths.length);
  let nodes = 1;
  for (const [symbol, code] of codes.entries()) {
    let node = 0;
    for (let bit = (lengths[symbol] ?? 0) - 1; bit >= 0; bit--) {
      const at = 2 * node + ((code >>> bit) & 1);
      if (bit === 0) tree[at] = ~symbol;
      else if (tree[at] === 0) tree[at] = nodes++;
      node = tree[at] ?? 0;
    }
  }
  return tree;
}

/**
 * Builds a table for codes of at most eight bits. The index is the next eight bits of a text. If they begin with such a
 * code, the entry is 16 times the code's symbol plus the code's length. If they begin with a longer code, it is 0.
 */
function shortCodes(codes: readonly number[], lengths: readonly number[]): Uint16Array {
  const short = new Uint16Array(256);
  for (const [symbol, length] of lengths.entries()) {
    if (length > 8) continue;
    const first = (codes[symbol] ?? 0) << (8 - length);
    short.fill(symbol * 16 + length, first, first + 2 ** (8 - length));
  }
  return short;
}
