import {huffmanDecode, huffmanEncode} from './huffman.ts';

// Most loads of a page say the same, so each text is coded, and each code read, once.

/** A text's Huffman code (RFC 7541 §5.2). */
export function codedOf(text: string): Uint8Array {
  const known = codes.get(text);
  if (known !== undefined) return known;
  const coded = huffmanEncode(text);
  keep(codes, text, coded);
  return coded;
}

/** The text of a Huffman code; undefined for a broken one. */
export function textOf(coded: Uint8Array): string | undefined {
  const hash = hashOf(coded);
  const known = texts.get(hash);
  if (known !== undefined && isSame(known.coded, coded)) return known.text;
  const text = huffmanDecode(coded);
  if (text !== undefined && coded.length <= LONGEST) keep(texts, hash, {coded: coded.slice(), text});
  return text;
}

function keep<K, V>(all: Map<K, V>, key: K, value: V): void {
  if (all.size >= MOST) all.clear();
  all.set(key, value);
}

/** FNV-1a, 32 bits. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
  return hash;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

const codes = new Map<string, Uint8Array>();
/** By their codes' hashes: of two that have the same one, the later. */
const texts = new Map<number, {readonly coded: Uint8Array; readonly text: string}>();
/** Some pages' fields. */
const MOST = 1000;
/** Bytes of a code: longer ones are hardly anybody's field. */
const LONGEST = 1000;
