import {codedOf} from './codedText.ts';

// Integers and strings of HPACK (RFC 7541 §5) and QPACK (RFC 9204 §4.1). Strings have one character per byte.

/** Appends an integer. Its first byte has `flags` in its upper bits (RFC 7541 §5.1). */
export function pushInteger(into: number[], flags: number, prefixBits: number, value: number): void {
  const most = (1 << prefixBits) - 1;
  if (value < most) {
    into.push(flags | value);
    return;
  }
  into.push(flags | most);
  let rest = value - most;
  for (; rest >= 128; rest = Math.floor(rest / 128)) into.push((rest % 128) | 128);
  into.push(rest);
}

/**
 * Appends a string. The prefix of its length has 7 bits or fewer. If the Huffman code is no longer than the text, it is
 * used, and the bit above the prefix tells so (RFC 7541 §5.2; RFC 9204 §4.1.2).
 */
export function pushString(into: number[], text: string, flags = 0, prefixBits = 7): void {
  const coded = codedOf(text);
  if (coded.length <= text.length) {
    pushInteger(into, flags | (1 << prefixBits), prefixBits, coded.length);
    for (let i = 0; i < coded.length; i++) into.push(coded[i] ?? 0);
    return;
  }
  pushInteger(into, flags, prefixBits, text.length);
  for (let i = 0; i < text.length; i++) into.push(text.charCodeAt(i));
}
