import {posix} from 'node:path';
import {GATEWAY_LIMITS} from '../base/gatewayLimits.ts';
import {FetchError} from '../base/pageErrors.ts';
import type {Fetched} from '../fetch/fetcher.ts';
import type {KnownLoad} from '../record/recordedBundle.ts';
import type {FileSet} from './fileSet.ts';

/**
 * The source of a page that is opened from files. Everything that the page refers to is looked up in this source and
 * nowhere else.
 */
export interface LocalSource {
  /** Address of the page's HTML. */
  readonly address: string;
  /** The name that the user sees for the file at an address. */
  nameOf(address: string): string;
  /** @throws FetchError */
  get(address: string): Promise<Fetched>;
  /** How a browser loaded the page, if the files say so. `requests` are all of its requests. */
  readonly recorded?: KnownLoad;
  /** Describes content that was never looked up, or that the source does not have. Empty if there is none. */
  unused?(): readonly string[];
}

/**
 * Makes the source of a page that consists of files. Addresses are resolved as if a server served the folder of the
 * files, and no address leads out of the folder. `index` is the path of the page's HTML.
 */
export function filesSource(files: FileSet, index: string): LocalSource {
  return {
    address: addressOf(index),
    nameOf: address => pathOf(address) ?? address,
    get: async address => {
      const path = pathOf(address);
      if (path === undefined) throw new FetchError('it is not among the files');
      const body = await files.read(path, GATEWAY_LIMITS.objectBytes);
      if (body === undefined) throw new FetchError('there is no such file');
      return {address, contentType: TYPES.get(posix.extname(path).toLowerCase()) ?? '', body};
    },
  };
}

/** The address of a file, by its path. */
export function addressOf(path: string): string {
  return `${ORIGIN}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** The path of the file at an address. Returns undefined if no file can have that address. */
function pathOf(address: string): string | undefined {
  const {origin, pathname} = new URL(address);
  if (origin !== ORIGIN) return undefined;
  try {
    const path = posix.normalize(decodeURIComponent(pathname)).slice(1);
    return path.includes('\0') ? undefined : path;
  } catch {
    return undefined;
  }
}

/** A host name that never exists (RFC 6761 §6.4). */
const ORIGIN = 'http://files.invalid';

/** Types of files that cannot be recognised by their first bytes. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css'],
  ['.htm', 'text/html'],
  ['.html', 'text/html'],
  ['.svg', 'image/svg+xml'],
  ['.xhtml', 'application/xhtml+xml'],
]);
