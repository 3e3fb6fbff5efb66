import {deflateSync} from 'fflate';
import {base64, bytesOf, crc32} from '../../base/bytes.ts';
import {inflated} from '../../base/inflate.ts';
import type {Json} from '../../base/json.ts';

/**
 * Returns a link that contains the scenario. A user can open the link, or paste it in the window, to get the same run.
 */
export function scenarioLink(document: Json): string {
  return PREFIX + base64url(new TextEncoder().encode(JSON.stringify(document)));
}

/**
 * Returns the address of a web edition that shows the scenario. `address` is the address of the web edition. The
 * scenario is compressed. The checksum of the compressed bytes precedes them.
 */
export function siteLink(document: Json, address: string): string {
  return `${address}#${packedFragment('scenario', document)}`;
}

/** Returns `KEY=…` with the compressed document, for the fragment of an address. */
export function packedFragment(key: 'scenario' | 'story', document: Json): string {
  const packed = deflateSync(new TextEncoder().encode(JSON.stringify(document)), {level: 9});
  const bytes = new Uint8Array(CHECKSUM_BYTES + packed.length);
  new DataView(bytes.buffer).setUint32(0, crc32(packed));
  bytes.set(packed, CHECKSUM_BYTES);
  return `${key}=${base64url(bytes)}`;
}

export function isScenarioLink(text: string): boolean {
  const link = text.trim();
  return link.startsWith(PREFIX) || SITE_LINK.test(link);
}

/** The text in a link, or a message that says what is wrong with the link. */
export type LinkText = {readonly ok: true; readonly text: string} | {readonly ok: false; readonly message: string};

/** Returns the JSON text in a link that {@link isScenarioLink} recognises. */
export function linkText(text: string): LinkText {
  const link = text.trim();
  const [, fragment] = SITE_LINK.exec(link) ?? [];
  if (fragment !== undefined) return unpackedText(fragment);
  const bytes = fromBase64url(link.slice(PREFIX.length));
  return (bytes && decoded(bytes)) ?? DAMAGED;
}

/** Returns the JSON text in `packed`, which is the result of {@link packedFragment} without `KEY=`. */
export function unpackedText(packed: string): LinkText {
  if (packed.length > MOST_CHARACTERS) {
    return {ok: false, message: `the link has ${packed.length} characters (at most ${MOST_CHARACTERS})`};
  }
  const bytes = fromBase64url(packed);
  if (bytes === undefined || bytes.length < CHECKSUM_BYTES) return DAMAGED;
  const content = bytes.subarray(CHECKSUM_BYTES);
  if (new DataView(bytes.buffer).getUint32(0) !== crc32(content)) return DAMAGED;
  const text = inflated(content, MOST_BYTES);
  if (text === 'too large') return {ok: false, message: `the link contains more than ${MOST_BYTES} bytes`};
  return (text && decoded(text)) ?? DAMAGED;
}

/** Decodes the text of a link. Undefined if the bytes are not UTF-8. */
function decoded(bytes: Uint8Array): LinkText | undefined {
  try {
    return {ok: true, text: new TextDecoder('utf-8', {fatal: true}).decode(bytes)};
  } catch {
    return undefined;
  }
}

function base64url(bytes: Uint8Array): string {
  return base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Returns the bytes of a base64url text. Undefined if the text is not base64url. */
function fromBase64url(text: string): Uint8Array | undefined {
  try {
    return bytesOf(atob(text.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return undefined;
  }
}

const DAMAGED: LinkText = {ok: false, message: 'the link is incomplete or damaged; copy all of it'};

const PREFIX = 'interleave://scenario/';

/** The address of a web edition with a scenario. */
const SITE_LINK = /^https?:\/\/[^#\s]*#scenario=(.*)$/s;

const CHECKSUM_BYTES = 4;

/**
 * The largest number of characters in a compressed document. Browsers open far longer addresses, but hardly anybody can
 * paste them.
 */
const MOST_CHARACTERS = 200_000;

/** The largest size of a document in bytes, which is the same as for a file. */
const MOST_BYTES = 4 * 1024 * 1024;

// Browsers and Node have these functions (HTML and WHATWG Encoding), but app/ is compiled without the types of either.
declare const atob: (base64: string) => string;
declare const TextEncoder: new () => {encode(text: string): Uint8Array};
declare const TextDecoder: new (label: 'utf-8', options: {fatal: true}) => {decode(bytes: Uint8Array): string};
