import {bytesOf, crc32} from '../base/bytes.ts';

/**
 * Adds the name and version of the program to a PNG file, in a tEXt chunk after the header (PNG, third edition,
 * §11.3.3.2). @throws RangeError if the file does not begin with the chunk IHDR
 */
export function signedPng(png: Uint8Array, program: string): Uint8Array<ArrayBuffer> {
  const isPng = String.fromCharCode(...png.subarray(12, 16)) === 'IHDR';
  if (!isPng) throw new RangeError('invalid PNG: it has no header');
  const typed = bytesOf(`tEXtSoftware\0${program}`);
  const chunk = new Uint8Array(4 + typed.length + 4);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, typed.length - 4);
  chunk.set(typed, 4);
  view.setUint32(4 + typed.length, crc32(typed));
  const signed = new Uint8Array(png.length + chunk.length);
  signed.set(png.subarray(0, HEADER_END));
  signed.set(chunk, HEADER_END);
  signed.set(png.subarray(HEADER_END), HEADER_END + chunk.length);
  return signed;
}

/** The end of a PNG file's header. The signature has 8 bytes, the chunk IHDR has 25. */
const HEADER_END = 33;
