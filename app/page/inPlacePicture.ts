import {hasTooManyPixels} from './imageSize.ts';

// WHATWG HTML §8.3, in every host; app/ is compiled without any host's types.
declare const atob: (base64: string) => string;

/** Whether a `data:` address holds a picture of which nothing is shown ({@link hasTooManyPixels}). */
export function isHugeInPlace(reference: string): boolean {
  const start = reference.indexOf(',');
  if (start < 0 || !/^\s*data:/i.test(reference)) return false;
  const [head, data] = [reference.slice(0, start), reference.slice(start + 1, start + 1 + MOST_LETTERS)];
  const text = data.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const letters = /;\s*base64\s*$/i.test(head) ? fromBase64(text) : text;
  return hasTooManyPixels(Uint8Array.from(letters, letter => letter.charCodeAt(0)));
}

/** Whether the text of a drawing has such a picture in it. */
export function holdsHugePicture(drawing: string): boolean {
  return Array.from(drawing.matchAll(/data:[^"'<>()]*/gi)).some(([reference]) => isHugeInPlace(reference));
}

/** As far as it is such: four letters are three bytes. */
function fromBase64(text: string): string {
  const letters = text.replace(/[^A-Za-z0-9+/]+/g, '');
  return atob(letters.slice(0, letters.length - (letters.length % 4)));
}

/** Of what an address holds: a header, with what may stand in front of it. */
const MOST_LETTERS = 100_000;
