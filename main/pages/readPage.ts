import {posix} from 'node:path';
import {showName} from '../../app/base/text.ts';
import {assemblePage, walkPage} from '../../app/page/assemble.ts';
import {measureHtml} from '../../app/page/htmlExtent.ts';
import {HTML_LIMITS} from '../../app/page/htmlReader.ts';
import {hasTooManyPixels, imageSize, MOST_PIXELS} from '../../app/page/imageSize.ts';
import {INDEX_URL, MOST_RECORDED, type Page, type PageObject, type PageSnapshot} from '../../app/page/page.ts';
import {type Recording, withReferences} from '../../app/page/recording.ts';
import {isAddress, LARGEST_PAGE_BYTES} from '../../app/run/scenario/pageSource.ts';
import {UnreadableError} from '../files/unreadableError.ts';
import {PageError} from './base/pageErrors.ts';
import {takeSnapshot} from './base/pageSnapshot.ts';
import {type Bundle, type BundleDocument, type BundleFile, isRecorded, RECORDING} from './store/bundle.ts';
import {DOCUMENT, INDEX, LONGEST_DOCUMENT, readBundleDocument} from './store/bundleDocument.ts';
import {LONGEST_RECORDING, readRecording} from './store/recordingFile.ts';

/** Reads a page from a bundle, under the name by which the scenario calls it. @throws PageError if it cannot be read */
export function readStoredPage(name: string, {files, document}: Bundle): Promise<PageSnapshot> {
  return readPage(name, bundleFiles(files), document);
}

/** Reads a page. The size of each object is checked before the object is read. */
export async function readPage(name: string, folder: PageFiles, document?: BundleDocument): Promise<PageSnapshot> {
  const {html, why} = await readHtml(name, folder);
  const saved = document ?? (await savedDocument(folder));
  const leftOut = [...savedLines(saved), ...(why === null ? [] : [`index.html: ${why}`])];
  const files = new Map<string, PageFile>();
  const bodies = new Map<string, Uint8Array>();
  let bytes = html.length;
  const walk = walkPage(html);
  let step = walk.next();
  while (!step.done) {
    const {url, isSheet} = step.value;
    const file = await findObject(folder, url, leftOut);
    bytes += file?.bytes ?? 0;
    if (file !== undefined && bytes > LARGEST_PAGE_BYTES) throw tooLarge(name, url, file, bytes);
    if (file !== undefined) files.set(url, file);
    if (file !== undefined && isSheet) bodies.set(url, await read(name, url, file));
    step = walk.next(bodies.get(url));
  }
  if (step.value > 0) {
    const objects = step.value === 1 ? '1 object' : `${step.value} objects`;
    leftOut.push(`${objects} that style sheets name: a page has at most ${HTML_LIMITS.objects - 1} objects`);
  }
  for (const [url, file] of files) {
    if (!bodies.has(url)) bodies.set(url, await read(name, url, file));
  }
  leftOut.push(...hugePictures(bodies));
  const page = assemblePage(name, html, url => bodies.get(url));
  const recorded = await readRecorded(name, folder, saved, {files, bytes});
  const all = {...page, objects: withAddresses([...page.objects, ...(recorded?.objects ?? [])], saved)};
  return takeSnapshot(recorded === undefined ? all : withRecording(all, recorded.recording), firstOf(leftOut));
}

/** What has been read of the page so far. */
interface ReadSoFar {
  readonly files: ReadonlyMap<string, PageFile>;
  readonly bytes: number;
}

/**
 * Reads how a browser loaded a saved page, and the requested objects that neither the HTML nor a style sheet names.
 * Returns undefined if the page has no valid recording.
 * @throws PageError if the page is too large with these objects
 */
async function readRecorded(
  name: string,
  folder: PageFiles,
  saved: BundleDocument | undefined,
  known: ReadSoFar,
): Promise<{recording: Recording<string>; objects: readonly PageObject[]} | undefined> {
  const file = saved !== undefined && isRecorded(saved) ? await find(name, folder, RECORDING) : undefined;
  if (saved === undefined || file === undefined || file.bytes > LONGEST_RECORDING) return undefined;
  const recording = readRecording(await read(name, RECORDING, file));
  if (recording === undefined) return undefined;
  const types = new Map(saved.objects.map(each => [each.file, each.type]));
  const objects: PageObject[] = [];
  let {bytes} = known;
  for (const {object} of recording.requests) {
    const url = urlOfFile(object);
    if (url === INDEX_URL || known.files.has(url) || objects.length >= MOST_RECORDED) continue;
    const found = await find(name, folder, object);
    if (found === undefined) continue;
    bytes += found.bytes;
    if (bytes > LARGEST_PAGE_BYTES) throw tooLarge(name, url, found, bytes);
    const contentType = types.get(object) ?? 'application/octet-stream';
    objects.push({url, contentType, body: await read(name, url, found)});
  }
  return {recording, objects};
}

/** Adds a recording to a page. The names of files in `recording` become numbers of the page's objects. */
function withRecording(page: Page, recording: Recording<string>): Page {
  const numbers = new Map(page.objects.map(({url}, object) => [url, object]));
  return {...page, recording: withReferences(recording, file => numbers.get(urlOfFile(file)), 0)};
}

/** The URL by which a browser requests a file of a bundle. */
function urlOfFile(file: string): string {
  return file === INDEX ? INDEX_URL : `/${file}`;
}

/** Adds the objects' original addresses, which are in the document of a bundle. */
function withAddresses(objects: readonly PageObject[], document: BundleDocument | undefined): readonly PageObject[] {
  const addresses = new Map(document?.objects.map(({file, address}) => [file, address]));
  return objects.map(object => {
    const file = object.url === INDEX_URL ? 'index.html' : filePath(object.url)?.slice(1);
    const address = addresses.get(file ?? '');
    return address !== undefined && isAddress(address) ? {...object, address} : object;
  });
}

/**
 * Describes the pictures with too many pixels, one line each. They are loaded like all others, but they are not shown.
 */
function hugePictures(bodies: ReadonlyMap<string, Uint8Array>): readonly string[] {
  return Array.from(bodies).flatMap(([url, body]) => {
    const size = hasTooManyPixels(body) ? imageSize(body) : undefined;
    if (size === undefined) return [];
    const limit = `at most ${MOST_PIXELS / 1e6} million are shown`;
    return [`${showName(url)}: it is a picture of ${size.width} × ${size.height} pixels (${limit})`];
  });
}

/**
 * Reads {@link DOCUMENT}, which a folder has if a bundle was saved as this folder. Returns undefined for any other
 * folder.
 */
async function savedDocument(folder: PageFiles): Promise<BundleDocument | undefined> {
  try {
    const file = await folder.find(DOCUMENT);
    if (file === undefined || file.bytes > LONGEST_DOCUMENT) return undefined;
    return readBundleDocument(await file.read(file.bytes));
  } catch (error) {
    if (error instanceof UnreadableError) return undefined;
    throw error;
  }
}

/**
 * Describes what was left out of the page according to its `bundle.json`. There is one line for all of `notLoaded`, and
 * one for each object that was left out.
 */
function savedLines(document: BundleDocument | undefined): readonly string[] {
  const {notLoaded = [], leftOut = []} = document ?? {};
  const counts = notLoaded.length === 0 ? [] : [notLoaded.join(', ')];
  return [...counts, ...leftOut.map(({address, why}) => `${showName(address)}: ${why}`)];
}

interface LoadedHtml {
  readonly html: Uint8Array;
  /** Why `html` is only a part of the file. Null if it is the whole file. */
  readonly why: string | null;
}

async function readHtml(name: string, folder: PageFiles): Promise<LoadedHtml> {
  const file = await find(name, folder, 'index.html');
  if (file === undefined) throw new PageError(name, 'has no index.html');
  // this makes a copy, because the bytes may be in shared memory, which not every TextDecoder accepts
  const loaded = (await read(name, 'index.html', file, HTML_LIMITS.bytes)).slice();
  const {bytes, why} = measureHtml(loaded, file.bytes);
  return {html: loaded.subarray(0, bytes), why};
}

/**
 * Finds the file that the server would send for a URL. Returns undefined if there is none. If the file exists but
 * cannot be read, adds a line to `leftOut`.
 */
async function findObject(folder: PageFiles, url: string, leftOut: string[]): Promise<PageFile | undefined> {
  const path = filePath(url);
  if (path === undefined) return undefined;
  try {
    return await folder.find(path);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    leftOut.push(`${showName(url)}: ${error.message}`);
    return undefined;
  }
}

/** Finds a file. Returns undefined if there is none. @throws PageError if the file is there, but cannot be read */
async function find(page: string, folder: PageFiles, path: string): Promise<PageFile | undefined> {
  return folder.find(path).catch(error => unreadable(page, path, error));
}

async function read(page: string, url: string, file: PageFile, most = file.bytes): Promise<Uint8Array> {
  return file.read(most).catch(error => unreadable(page, url, error));
}

function unreadable(page: string, url: string, error: unknown): never {
  if (error instanceof UnreadableError) throw new PageError(page, `cannot be read: ${showName(url)}: ${error.message}`);
  throw error;
}

/** Keeps the first {@link MOST_LINES} lines, and adds a line that counts the others. */
function firstOf(lines: readonly string[]): readonly string[] {
  const more = lines.length - MOST_LINES;
  return more <= 0 ? lines : [...lines.slice(0, MOST_LINES), `and ${more} more`];
}

const MOST_LINES = 10;

function tooLarge(page: string, url: string, file: PageFile, bytes: number): PageError {
  const of = `${showName(url)} has ${file.bytes} bytes`;
  return new PageError(
    page,
    `is too large: ${of}, and with it the page has ${bytes} bytes (at most ${LARGEST_PAGE_BYTES})`,
  );
}

/**
 * The path of the file that a URL names. Returns undefined if the URL's escapes are invalid, or if the path contains
 * U+0000.
 */
function filePath(url: string): string | undefined {
  try {
    const path = decodeURIComponent(url.split('?')[0] ?? '');
    return path.includes('\0') ? undefined : path;
  } catch {
    return undefined;
  }
}

/** The files that a page is read from. */
export interface PageFiles {
  /** Finds a file by its path in the page's folder. Returns undefined if there is none. @throws UnreadableError */
  find(path: string): Promise<PageFile | undefined>;
}

interface PageFile {
  readonly bytes: number;
  /**
   * Reads at most `most` bytes from the start of the file. The returned array may be in memory that threads share, and
   * may belong to a bundle, so it must not be changed.
   * @throws UnreadableError
   */
  read(most: number): Promise<Uint8Array>;
}

/** The files of a bundle. */
function bundleFiles(files: readonly BundleFile[]): PageFiles {
  const known = new Map(files.map(({path, bytes}) => [`/${path}`, bytes]));
  return {
    find: async path => {
      const bytes = known.get(posix.join('/', path));
      return bytes && {bytes: bytes.length, read: async most => bytes.subarray(0, most)};
    },
  };
}
