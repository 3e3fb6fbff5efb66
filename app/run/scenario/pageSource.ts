import {
  fail,
  INVALID,
  integer,
  isObject,
  object,
  optional,
  type Parser,
  type Problem,
  required,
  text,
} from '../../base/schema.ts';
import {leastIndexBodyBytes, type SyntheticSettings} from '../../page/synthetic.ts';

/** Where the page comes from. */
export type PageSource =
  /** The name of a fixture, or a path to a page folder. */
  | {readonly kind: 'named'; readonly name: string}
  | ({readonly kind: 'bundle'} & BundleSource)
  | ({readonly kind: 'synthetic'} & SyntheticSettings);

/** A page that was opened from elsewhere and saved. */
export interface BundleSource {
  /** SHA-256 of its files, in hexadecimal. */
  readonly bundle: string;
  /** Its name for people: its address, or its file's name. */
  readonly name: string;
}

/** In characters. Browsers accept addresses of this length. */
export const LONGEST_PAGE_NAME = 2000;

const syntheticSettings = object('a synthetic page', {
  indexBytes: optional(integer(200, 1_000_000), 3000),
  objects: optional(integer(0, 1000), 10),
  objectBytes: optional(integer(0, 10_000_000), 10_000),
  headerBytes: optional(integer(100, 8192), 250),
  requestBytes: optional(integer(64, 8192), 200),
});

const wrapped = object('a page', {synthetic: required(syntheticSettings)});

const bundleHash: Parser<string> = (value, path, problems) =>
  isBundleHash(value) ? value : fail(problems, path, value, '64 digits of 0–9 and a–f');

const bundleSource = object('a page that is kept', {
  bundle: required(bundleHash),
  name: required(text(LONGEST_PAGE_NAME)),
});

export const pageSource: Parser<PageSource> = (value, path, problems) => {
  if (typeof value === 'string' && value !== '') return {kind: 'named', name: value};
  if (!isObject(value)) {
    return fail(
      problems,
      path,
      value,
      'a page\'s name, a path to its folder, {"bundle": …, "name": …}, or {"synthetic": {…}}',
    );
  }
  if (Object.hasOwn(value, 'bundle')) {
    const kept = bundleSource(value, path, problems);
    return kept === INVALID ? INVALID : {kind: 'bundle', ...kept};
  }
  const parsed = wrapped(value, path, problems);
  if (parsed === INVALID || !hasRoom(parsed.synthetic, `${path}.synthetic`, problems)) return INVALID;
  return {kind: 'synthetic', ...parsed.synthetic};
};

/** Whether a page's name is an address: of the web, or sctp://HOST:PORT for a server over SCTP in UDP. */
export function isAddress(name: string): boolean {
  return /^(https?|sctp):\/\/./i.test(name) && URL.canParse(name);
}

/** Extensions of files that are pages or contain one. */
export const PAGE_FILE = /\.(x?html?|har|mht(ml)?|zip)$/i;

/** Whether a value can name a saved page. */
export function isBundleHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function hasRoom(page: SyntheticSettings, path: string, problems: Problem[]): boolean {
  const least = page.headerBytes + leastIndexBodyBytes(page.objects);
  if (page.indexBytes < least) {
    fail(problems, `${path}.indexBytes`, page.indexBytes, `at least ${least}, to name ${page.objects} objects`);
    return false;
  }
  if (page.objects * page.objectBytes > LARGEST_PAGE_BYTES) {
    const most = Math.floor(LARGEST_PAGE_BYTES / page.objects);
    fail(problems, `${path}.objectBytes`, page.objectBytes, `at most ${most}, for ${page.objects} objects`);
    return false;
  }
  return true;
}

/** Limit for all files of a page, in bytes. A page and its trace are held in memory. */
export const LARGEST_PAGE_BYTES = 100_000_000;

// Every host has URL (WHATWG URL), but app/ is compiled without the types of any host.
declare const URL: {canParse(url: string): boolean};
