import {signedPng as signed} from '../../app/export/signedPng.ts';
import {program} from './program.ts';

/** Adds the program's name and version to a PNG file. */
export function signedPng(png: Uint8Array): Uint8Array {
  return signed(png, program());
}

/** Adds the program's name and version to a GIF file, in a comment before the first frame (GIF89a §24). */
export function signedGif(gif: Uint8Array): Uint8Array {
  const bytes = Buffer.from(gif.buffer, gif.byteOffset, gif.byteLength);
  if (bytes.toString('latin1', 0, 6) !== 'GIF89a') throw new RangeError('invalid GIF: it is not GIF89a');
  const fields = bytes.readUInt8(10);
  const colours = (fields & 0x80) === 0 ? 0 : 3 * 2 ** ((fields & 7) + 1);
  const start = SCREEN_END + colours;
  const text = Buffer.from(program(), 'latin1').subarray(0, 255);
  const comment = Buffer.concat([Uint8Array.of(0x21, 0xfe, text.length), text, Uint8Array.of(0)]);
  return Buffer.concat([bytes.subarray(0, start), comment, bytes.subarray(start)]);
}

/** The end of a GIF file's logical screen descriptor, which has 7 bytes. The signature before it has 6. */
const SCREEN_END = 13;
