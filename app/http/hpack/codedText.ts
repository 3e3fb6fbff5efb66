import {huffmanDecode, huffmanEncode} from './huffman.ts';
import {KnownBytes} from './knownBytes.ts';

// Most loads of a page repeat the same texts, so each text is encoded and decoded once.

/** The Huffman code of a text (RFC 7541 §5.2). */
export function codedOf(text: string): Uint8Array {
  const known = codes.get(text);
  if (known !== undefined) return known;
  if (codes.size >= MOST_CODES) codes.clear();
  const coded = huffmanEncode(text);
  codes.set(text, coded);
  return coded;
}

/** The text of a Huffman code. Undefined if the code is invalid. */
export function textOf(coded: Uint8Array): string | undefined {
  const known = texts.get(coded);
  if (known !== undefined) return known;
  const text = huffmanDecode(coded);
  if (text !== undefined) texts.keep(coded, text);
  return text;
}

const codes = new Map<string, Uint8Array>();
const texts = new KnownBytes<string>();
/** Enough for the fields of some pages. */
const MOST_CODES = 1000;
