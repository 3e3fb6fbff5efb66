import {createHash} from 'node:crypto';
import type {Insertion, RecordedBox, RecordedCause, RecordedRequest, Recording} from '../../../app/page/recording.ts';
import {absoluteAddress, withoutFragment} from '../base/absoluteAddress.ts';
import {FetchError} from '../base/pageErrors.ts';
import type {Fetched} from '../fetch/fetcher.ts';
import {type Bundle, RECORDING} from '../store/bundle.ts';
import {INDEX} from '../store/bundleDocument.ts';
import {RECORDING_TYPE, recordingText} from '../store/recordingFile.ts';
import type {InsertedElement, SeenBox} from './look.ts';
import {type Extent, extentsOf, MARK} from './marks.ts';
import type {ObservedCause, ObservedLoad} from './traceRequests.ts';

/** The size of the browser's viewport, in CSS pixels. The screen of computed loads (app/page/media.ts) is as large. */
export const VIEWPORT = {width: 1024, height: 768} as const;

/**
 * The values for a load that another program recorded. Its file does not say where elements were or what scripts
 * inserted.
 */
export const NOT_SEEN = {viewport: VIEWPORT, inserted: [], boxes: []} as const;

/** What is known of a browser's load. */
export interface KnownLoad extends ObservedLoad {
  readonly browser: string;
  readonly viewport: Recording['viewport'];
  readonly inserted: readonly InsertedElement[];
  readonly boxes: readonly SeenBox[];
}

/** Adds a recording to a bundle that was gathered from the same load. The recording names objects by their files. */
export function withRecording({files, document}: Bundle, load: KnownLoad): Bundle {
  const bytes = Buffer.from(recordingText(recordingOf({files, document}, load)));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const object = {address: document.address, file: RECORDING, type: RECORDING_TYPE, bytes: bytes.length, sha256};
  return {
    files: [...files, {path: RECORDING, bytes}],
    document: {...document, objects: [...document.objects, object]},
  };
}

function recordingOf({files, document}: Bundle, load: KnownLoad): Recording<string> {
  const fileOf = new Map<string, string>();
  for (const {address, file} of document.objects) if (!fileOf.has(address)) fileOf.set(address, file);
  const index = files.find(({path}) => path === INDEX);
  const html = Buffer.from(index?.bytes ?? []).toString();
  const scripts = extentsOf(html).filter(({name}) => name === 'script');
  const causeOf = (cause: ObservedCause): RecordedCause<string> => namedCause(cause, fileOf, html, scripts);
  const seen = new Set<string>();
  const requests = load.requests.flatMap((request): RecordedRequest<string>[] => {
    const object = fileOf.get(withoutFragment(request.address));
    if (object === undefined || seen.has(object)) return [];
    seen.add(object);
    const {cpuMs, waitMs, type, priority, blocking} = request;
    const runMs = type === 'script' ? (load.runMs.get(request.address) ?? 0) : 0;
    const times = {cpuMs: rounded(cpuMs), waitMs: rounded(waitMs), runMs: rounded(runMs)};
    return [{object, cause: causeOf(request.cause), type, priority, blocking, ...times}];
  });
  return {
    browser: load.browser,
    viewport: load.viewport,
    requests,
    insertions: insertionsOf(load, {html, base: document.objects[0]?.address ?? '', fileOf, causeOf, requests}),
    boxes: load.boxes.flatMap(({address, ...box}): RecordedBox<string>[] => {
      const object = address === null ? null : fileOf.get(withoutFragment(address));
      return object === undefined ? [] : [{object, ...box}];
    }),
    all: {
      requests: load.requests.length,
      bytes: load.requests.reduce((sum, {bytes}) => sum + bytes.decoded, 0),
    },
  };
}

interface Names {
  readonly html: string;
  /** The address of the page. Relative addresses are resolved against it. */
  readonly base: string;
  readonly fileOf: ReadonlyMap<string, string>;
  readonly causeOf: (cause: ObservedCause) => RecordedCause<string>;
  readonly requests: readonly RecordedRequest<string>[];
}

/** Returns the elements that scripts inserted. `at` is the offset in index.html, in bytes. */
function insertionsOf({inserted}: KnownLoad, names: Names): readonly Insertion<string>[] {
  const extents = extentsOf(names.html);
  return inserted.flatMap(({place, html, moved, stack}) => {
    const extent = extents[place.mark];
    const kept = withFiles(withoutOthers(html, new Set(moved)), names);
    const cause = causeOfInsertion(kept, stack, names);
    if (extent === undefined || cause === undefined || kept.trim() === '') return [];
    const at = place.where === 'in' ? extent.opened : extent.closed;
    return [{cause, at: Buffer.byteLength(names.html.slice(0, at)), html: kept}];
  });
}

/**
 * The cause of an insertion. If the inserted HTML names an object whose request was not caused by HTML or by a style
 * sheet, the insertion has the same cause as this request. Otherwise the cause is the outermost of the scripts that
 * were running. Undefined if no script is known.
 */
function causeOfInsertion(
  html: string,
  stack: InsertedElement['stack'],
  {requests, causeOf}: Names,
): RecordedCause<string> | undefined {
  const request = requests.find(
    ({object, cause}) => cause.by !== 'html' && cause.by !== 'style' && html.includes(object),
  );
  if (request !== undefined) return request.cause;
  const frame = stack.at(-1);
  return frame && causeOf({by: 'script', address: frame.address, line: frame.line});
}

/**
 * Replaces the address of a cause by its file. If the bundle has no such file, or if the cause is `start`, the cause
 * becomes the HTML. A script in the HTML is named by its number (`inline`).
 */
function namedCause(
  cause: ObservedCause,
  fileOf: ReadonlyMap<string, string>,
  html: string,
  scripts: readonly Extent[],
): RecordedCause<string> {
  if (cause.by === 'load') return cause;
  const object = cause.by === 'start' ? INDEX : fileOf.get(withoutFragment(cause.address));
  if (object === undefined || cause.by === 'start') return {by: 'html', object: INDEX};
  if (cause.by !== 'script' || object !== INDEX) return {by: cause.by, object};
  const script = scriptAt(html, scripts, cause.line ?? 1);
  return script < 0 ? {by: 'html', object: INDEX} : {by: 'inline', script};
}

/**
 * The number of the script element that contains a line: the last script element that begins before the line's end. It
 * is -1 if there is none.
 */
function scriptAt(html: string, scripts: readonly Extent[], line: number): number {
  let end = -1;
  for (let i = 0; i < line; i++) {
    end = html.indexOf('\n', end + 1);
    if (end < 0) return scripts.length - 1;
  }
  return scripts.findLastIndex(({start}) => start < end);
}

/** Removes scripts, elements that were moved into the insertion, and marks of copied elements. */
function withoutOthers(html: string, moved: ReadonlySet<number>): string {
  const cut = extentsOf(html).filter(({name, start, opened}) => {
    const [, mark] = OWN_MARK.exec(html.slice(start, opened)) ?? [];
    return name === 'script' || (mark !== undefined && moved.has(Number(mark)));
  });
  let [text, from] = ['', 0];
  for (const {start, closed} of cut) {
    if (start < from) continue;
    text += html.slice(from, start);
    from = closed;
  }
  return (text + html.slice(from)).replaceAll(new RegExp(OWN_MARK, 'g'), '');
}

const OWN_MARK = new RegExp(` ${MARK}="(\\d+)"`);

/** Replaces addresses in `src` and `href` by the bundle's files. Attributes with other addresses are removed. */
function withFiles(html: string, {fileOf, base}: Names): string {
  return html.replaceAll(ADDRESS, (_, name: string, value: string) => {
    const reference = value.replace(/^["']|["']$/g, '').replaceAll('&amp;', '&');
    const file = fileOf.get(absoluteAddress(reference, base) ?? '');
    return /^(src|href)$/i.test(name) && file !== undefined ? ` ${name}="${file}"` : '';
  });
}

/** An attribute that decides what a browser loads. */
const ADDRESS = /\s(src|srcset|sizes|href|poster|data|background)=("[^"]*"|'[^']*'|[^\s>]+)/gi;

/**
 * Makes a function that returns the load's response from an address. `gather` (fetch/gather.ts) calls this function.
 */
export function sourceOf(responses: ReadonlyMap<string, Fetched>): (address: string) => Promise<Fetched> {
  return async address => {
    const found = responses.get(withoutFragment(address));
    if (found === undefined) throw new FetchError('the browser did not request it');
    return found;
  };
}

/**
 * Returns a function that tells whether HTML may name an address. HTML that names an address contains the last part of
 * its path, even if the reference in the HTML is relative.
 */
export function namedIn(html: string): (address: string) => boolean {
  return address => {
    const parts = URL.parse(address)?.pathname.split('/');
    return html.includes(parts?.findLast(part => part !== '') ?? '');
  };
}

function rounded(ms: number): number {
  return Math.round(Math.max(ms, 0) * 100) / 100;
}
