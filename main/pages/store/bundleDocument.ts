import {readJson} from '../../../app/base/json.ts';
import {
  anyText,
  check,
  fail,
  file,
  integer,
  list,
  number,
  object,
  optional,
  type Parser,
  required,
} from '../../../app/base/schema.ts';
import {program} from '../../files/program.ts';
import type {BundleDocument, BundleObject, Conversion} from './bundle.ts';

/**
 * Reads a `bundle.json`. Returns undefined if it is invalid, if it names a file that a bundle cannot have, or if its
 * first object is not index.html.
 */
export function readBundleDocument(bytes: Uint8Array): BundleDocument | undefined {
  const json = readJson(Buffer.from(bytes).toString());
  if (!json.ok) return undefined;
  const document = check(bundleDocument, json.value);
  if (!document.ok || document.value.objects[0]?.file !== INDEX) return undefined;
  const {objects, ...others} = document.value;
  return {...others, objects: objects.map(described)};
}

/** The text of a `bundle.json`, which also says which program wrote it. */
export function documentText(document: BundleDocument): string {
  return `${JSON.stringify({program: program(), ...document}, null, 1)}\n`;
}

/**
 * Whether a bundle may have a file at this path. Such a path stays in the bundle's folder, and its file is not hidden.
 */
export function isBundlePath(path: string): boolean {
  return path === INDEX || /^files\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/.test(path);
}

/** File name of a bundle's document. */
export const DOCUMENT = 'bundle.json';

/** Largest size of a document, in bytes. Even a document with ten thousand left-out objects is smaller. */
export const LONGEST_DOCUMENT = 25_000_000;

/** File name of the page's HTML. */
export const INDEX = 'index.html';

/** The path of a file in a bundle. */
export const bundlePath: Parser<string> = (value, path, problems) =>
  typeof value === 'string' && isBundlePath(value)
    ? value
    : fail(problems, path, value, `${INDEX} or a file in files/`);

const sha256: Parser<string> = (value, path, problems) =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
    ? value
    : fail(problems, path, value, 'a SHA-256, in hexadecimal');

const bytes = integer(0, Number.MAX_SAFE_INTEGER);

const conversion: Parser<Conversion> = object('a conversion', {
  from: required(anyText()),
  fromBytes: required(bytes),
  ms: required(number(0, Number.MAX_SAFE_INTEGER)),
});

const bundleObject = object('an object', {
  address: required(anyText()),
  file: required(bundlePath),
  type: required(anyText()),
  bytes: required(bytes),
  sha256: required(sha256),
  converted: optional(conversion, undefined),
});

const leftOut = object('what is left out', {address: required(anyText()), why: required(anyText())});

/** Largest number of entries of each list in a document. This is far more than a page may have. */
const MOST = 100_000;

const bundleDocument = file('a bundle', {
  address: required(anyText()),
  date: required(anyText()),
  objects: required(list(bundleObject, 1, MOST)),
  leftOut: required(list(leftOut, 0, MOST)),
  notLoaded: required(list(anyText(), 0, MOST)),
});

/** Removes `converted` if it is undefined, because the parser adds a key for every optional value. */
function described({
  converted,
  ...object
}: Omit<BundleObject, 'converted'> & {readonly converted: Conversion | undefined}): BundleObject {
  return converted === undefined ? object : {...object, converted};
}
