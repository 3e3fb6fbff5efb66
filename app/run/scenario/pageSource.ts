import {
  describedBy,
  fail,
  INVALID,
  integer,
  isObject,
  object,
  optional,
  type Parser,
  type Problem,
  required,
  schemaOf,
  text,
} from '../../base/schema.ts';
import {leastIndexBodyBytes, type SyntheticSettings} from '../../page/synthetic.ts';

/** Where the page comes from. */
export type PageSource =
  /** The name of a fixture, the address of a page, or the path of a folder or file. */
  | {readonly kind: 'named'; readonly name: string}
  | ({readonly kind: 'bundle'} & BundleSource)
  | ({readonly kind: 'synthetic'} & SyntheticSettings);

/** A page that a user opened and the program saved. */
export interface BundleSource {
  /** SHA-256 of the page's files, in hexadecimal. */
  readonly bundle: string;
  /** The page's name for people: its address, or the name of its file. */
  readonly name: string;
}

/** The longest name of a page, in characters. Browsers accept addresses of this length. */
export const LONGEST_PAGE_NAME = 2000;

const syntheticSettings = object('a synthetic page', {
  indexBytes: optional(integer(200, 1_000_000), 3000, {
    about: 'The size of the response that carries the HTML, with its header, in bytes.',
    default: 3000,
  }),
  objects: optional(integer(0, 1000), 10, {about: 'The number of objects that the HTML names.', default: 10}),
  objectBytes: optional(integer(0, 10_000_000), 10_000, {
    about: 'The size of each object without the header of its response, in bytes.',
    default: 10_000,
  }),
  headerBytes: optional(integer(100, 8192), 250, {
    about: 'The size of the header of a response, in bytes.',
    default: 250,
  }),
  requestBytes: optional(integer(64, 8192), 200, {about: 'The size of a request, in bytes.', default: 200}),
});

const wrapped = object('a page', {
  synthetic: required(syntheticSettings, {
    about: 'A page that the program generates from these sizes. It has no visible pictures.',
  }),
});

const bundleHash: Parser<string> = describedBy(
  () => ({type: 'string', pattern: BUNDLE_HASH.source}),
  (value, path, problems) => (isBundleHash(value) ? value : fail(problems, path, value, '64 digits of 0–9 and a–f')),
);

const bundleSource = object('a saved page', {
  bundle: required(bundleHash, {about: 'The SHA-256 of the files of a page that was opened and saved.'}),
  name: required(text(LONGEST_PAGE_NAME), {
    about: 'The name of the page for people: its address, or the name of its file.',
  }),
});

export const pageSource: Parser<PageSource> = describedBy(pageSchema, (value, path, problems) => {
  if (typeof value === 'string' && value !== '') return {kind: 'named', name: value};
  if (!isObject(value)) {
    return fail(
      problems,
      path,
      value,
      'a page\'s name, its address, a path to its folder or file, {"bundle": …, "name": …}, or {"synthetic": {…}}',
    );
  }
  if (Object.hasOwn(value, 'bundle')) {
    const kept = bundleSource(value, path, problems);
    return kept === INVALID ? INVALID : {kind: 'bundle', ...kept};
  }
  const parsed = wrapped(value, path, problems);
  if (parsed === INVALID || !hasRoom(parsed.synthetic, `${path}.synthetic`, problems)) return INVALID;
  return {kind: 'synthetic', ...parsed.synthetic};
});

function pageSchema() {
  const description =
    'The name of a page (the command ‘interleave pages’ lists the names), an http, https or sctp address, or the ' +
    'path of a folder, of an .html, .har, .mhtml or .zip file, or of a folder of pictures.';
  return {anyOf: [{description, type: 'string', minLength: 1}, schemaOf(bundleSource), schemaOf(wrapped)]};
}

/** Whether a page's name is an address: an http or https URL, or sctp://HOST:PORT for a server over SCTP in UDP. */
export function isAddress(name: string): boolean {
  return /^(https?|sctp):\/\/./i.test(name) && URL.canParse(name);
}

/** Matches the names of files that are pages or contain a page. */
export const PAGE_FILE = /\.(x?html?|har|mht(ml)?|zip)$/i;

/** Whether a value can name a saved page. */
export function isBundleHash(value: unknown): value is string {
  return typeof value === 'string' && BUNDLE_HASH.test(value);
}

const BUNDLE_HASH = /^[0-9a-f]{64}$/;

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

/**
 * Limit on the total size of the objects of a synthetic page or of the files of a page in a folder, in bytes. There is
 * a limit because a page and its trace are held in memory. Pages that are fetched, or read from a .har, .mhtml or .zip
 * file, have the limits of main/pages/base/gatewayLimits.ts.
 */
export const LARGEST_PAGE_BYTES = 100_000_000;

// Browsers and Node have URL (WHATWG URL), but app/ is compiled without the types of either.
declare const URL: {canParse(url: string): boolean};
