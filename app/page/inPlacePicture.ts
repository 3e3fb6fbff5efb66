import {hasTooManyPixels} from './imageSize.ts';

// Every host has the function `atob` (WHATWG HTML §8.3), but app/ is compiled without the types of any host.
declare const atob: (base64: string) => string;

/** Whether a `data:` address holds a picture that is too large to be shown ({@link hasTooManyPixels}). */
export function isHugeInPlace(reference: string): boolean {
  const start = reference.indexOf(',');
  if (start < 0 || !/^\s*data:/i.test(reference)) return false;
  const [head, data] = [reference.slice(0, start), reference.slice(start + 1, start + 1 + MOST_LETTERS)];
  const text = data.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const letters = /;\s*base64\s*$/i.test(head) ? fromBase64(text) : text;
  return hasTooManyPixels(Uint8Array.from(letters, letter => letter.charCodeAt(0)));
}

/** Whether the text of an SVG embeds such a picture. */
export function holdsHugePicture(drawing: string): boolean {
  return Array.from(drawing.matchAll(/data:[^"'<>()]*/gi)).some(([reference]) => isHugeInPlace(reference));
}

/** Decodes whole groups of four characters and ignores everything that is not base64. */
function fromBase64(text: string): string {
  const letters = text.replace(/[^A-Za-z0-9+/]+/g, '');
  return atob(letters.slice(0, letters.length - (letters.length % 4)));
}

/** How much of an address is decoded: enough for a picture's header and what may precede it. */
const MOST_LETTERS = 100_000;
