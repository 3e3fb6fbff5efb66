import type {Json} from './document.ts';

/** A link that holds the scenario itself: opening or pasting it in the window gives the same run. */
export function scenarioLink(document: Json): string {
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  return PREFIX + btoa(latin1(bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** One character per byte, in slices: a call takes no more arguments than the stack holds. */
function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    text += String.fromCharCode(...bytes.subarray(at, at + SLICE_BYTES));
  }
  return text;
}

export function isScenarioLink(text: string): boolean {
  return text.trim().startsWith(PREFIX);
}

/** The JSON text in a link; undefined if it is damaged. */
export function linkText(link: string): string | undefined {
  try {
    const base64 = link.trim().slice(PREFIX.length).replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(base64), char => char.charCodeAt(0));
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  } catch {
    return undefined;
  }
}

const SLICE_BYTES = 8192;
const PREFIX = 'interleave://scenario/';

// HTML and WHATWG Encoding, in every host; app/ is compiled without any host's types.
declare const atob: (base64: string) => string;
declare const btoa: (latin1: string) => string;
declare const TextEncoder: new () => {encode(text: string): Uint8Array};
declare const TextDecoder: new (
  label: 'utf-8',
  options: {fatal: true},
) => {decode(bytes: Uint8Array): string};
