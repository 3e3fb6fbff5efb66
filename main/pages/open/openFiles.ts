import {posix} from 'node:path';
import {showName} from '../../../app/base/text.ts';
import {withoutFragment} from '../base/absoluteAddress.ts';
import {GATEWAY_LIMITS} from '../base/gatewayLimits.ts';
import {FetchError, PageError} from '../base/pageErrors.ts';
import {readHtml} from '../fetch/readText.ts';
import {namedIn} from '../record/recordedBundle.ts';
import type {Bundle, BundleFile} from '../store/bundle.ts';
import {DOCUMENT, INDEX, readBundleDocument} from '../store/bundleDocument.ts';
import {differingFile} from '../store/bundleHash.ts';
import {type FileSet, fileSet, isHidden} from './fileSet.ts';
import {gallery} from './gallery.ts';
import {gatherLocal} from './gatherLocal.ts';
import {harSource} from './har.ts';
import {filesSource, type LocalSource} from './localSource.ts';
import {mhtmlSource} from './mhtml.ts';
import {loadOfTrace, traceSource} from './traceSource.ts';
import {zipFiles} from './zipFiles.ts';

/**
 * A file that the user opens. If the user opened a folder, the path begins with the folder's name: `trip/index.html`.
 */
export interface OpenedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * Makes a bundle of the page in the files. The files are an HTML file and the files that it names, a HAR file, a trace
 * of Chromium, a HAR file and a trace of the same load, an MHTML file, pictures (which become a gallery), the files of
 * a saved bundle, or a zip of any of these.
 * @throws PageError that says what is wrong; the signal's reason after an abort
 */
export async function openFiles(files: readonly OpenedFile[], signal: AbortSignal): Promise<Bundle> {
  const name = nameOf(files);
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (bytes > MOST_BYTES) throw new PageError(name, `has ${bytes} bytes (at most ${MOST_BYTES})`);
  const set = fileSet(files.map(file => ({path: file.path, bytes: file.bytes.length, read: async () => file.bytes})));
  return openSet(name, set, signal);
}

/**
 * Like {@link openFiles}, for files that are read only when they are needed. `name` names the files in messages to the
 * user.
 */
export async function openSet(name: string, files: FileSet, signal: AbortSignal): Promise<Bundle> {
  const zip = onlyOf(files, ZIP);
  if (zip === undefined) return openUnpacked(name, files, signal);
  const unpacked = await zipFiles(name, await readWhole(name, files, zip));
  if (onlyOf(unpacked, ZIP) !== undefined) {
    throw new PageError(name, 'contains another zip and no HTML file: unpack it first');
  }
  return openUnpacked(name, unpacked, signal);
}

async function openUnpacked(name: string, files: FileSet, signal: AbortSignal): Promise<Bundle> {
  const saved = await savedBundle(files);
  if (saved !== undefined) return saved;
  const index = indexOf(name, files.paths);
  if (index !== undefined) return gatherLocal(filesSource(files, index), {name, signal});
  const [har, mhtml, trace] = [onlyOf(files, HAR), onlyOf(files, MHTML), onlyOf(files, TRACE)];
  if (har !== undefined) {
    const source = harSource(name, await readWhole(name, files, har));
    const recorded = trace === undefined ? {} : await recordedBy(name, await readWhole(name, files, trace), source);
    return gatherLocal({...source, ...recorded}, {name, signal});
  }
  if (trace !== undefined) {
    return gatherLocal(traceSource(name, await readWhole(name, files, trace)), {name, signal});
  }
  if (mhtml !== undefined) {
    return gatherLocal(await mhtmlSource(name, await readWhole(name, files, mhtml)), {name, signal});
  }
  const {source, leftOut} = await gallery(name, files, signal);
  return gatherLocal(source, {name, signal, leftOut});
}

/**
 * Returns the load in a trace that was opened together with a HAR file of the same page. A trace has the tasks of
 * scripts, which a HAR file does not have.
 * @throws PageError if it is the trace of another page
 */
async function recordedBy(
  name: string,
  trace: Uint8Array,
  source: LocalSource,
): Promise<Pick<LocalSource, 'recorded'>> {
  const {body, contentType} = await source.get(source.address);
  const html = readHtml(body, contentType);
  const recorded = loadOfTrace(name, trace, namedIn(html));
  const own = withoutFragment(recorded.requests[0]?.address ?? '');
  if (own === withoutFragment(source.address)) return {recorded};
  throw new PageError(name, `has a trace of ${showName(own, 80)}, but an archive of ${showName(source.address, 80)}`);
}

/**
 * Finds the page's HTML among the HTML files with the fewest folders in their paths: the only one, or index.html.
 * Returns undefined if there is no HTML file.
 * @throws PageError if there are several such files, but no index.html
 */
function indexOf(name: string, paths: readonly string[]): string | undefined {
  const pages = paths.filter(path => HTML.test(path) && !isHidden(path));
  const depthOf = (path: string): number => path.split('/').length;
  const least = Math.min(...pages.map(depthOf));
  const highest = pages.filter(path => depthOf(path) === least);
  const [first, second] = highest;
  if (second === undefined) return first;
  const index = highest.find(path => /^index\.x?html?$/i.test(posix.basename(path)));
  if (index !== undefined) return index;
  throw new PageError(name, `has ${highest.length} HTML files, but no index.html: open one of them`);
}

/** Returns the only file of a kind. Returns undefined if there are none or several, or if there is an HTML file. */
function onlyOf({paths}: FileSet, kind: RegExp): string | undefined {
  const shown = paths.filter(path => !isHidden(path));
  const [first, second] = shown.filter(path => kind.test(path));
  return second === undefined && !shown.some(path => HTML.test(path)) ? first : undefined;
}

/** @throws PageError */
async function readWhole(name: string, files: FileSet, path: string): Promise<Uint8Array> {
  try {
    return (await files.read(path, MOST_BYTES)) ?? new Uint8Array();
  } catch (error) {
    if (error instanceof FetchError) throw new PageError(name, `cannot be read: ${path}: ${error.message}`);
    throw error;
  }
}

/**
 * Returns a name for the opened files: that of the only file, of the folder that contains all files, or of the only
 * HTML file. Otherwise it is the number of files.
 */
function nameOf(files: readonly OpenedFile[]): string {
  const [first = {path: ''}, ...others] = files;
  if (others.length === 0) return posix.basename(first.path);
  const [folder = '', ...rest] = first.path.split('/');
  const isOne = rest.length > 0 && others.every(({path}) => path.startsWith(`${folder}/`));
  const page = files.filter(({path}) => HTML.test(path));
  return isOne ? folder : page.length === 1 ? posix.basename(page[0]?.path ?? '') : `${files.length} files`;
}

const HTML = /\.x?html?$/i;
const HAR = /\.har$/i;
const MHTML = /\.mht(ml)?$/i;
const ZIP = /\.zip$/i;
const TRACE = /\.json(\.gz)?$/i;

/**
 * Largest size of all files of {@link openFiles} together, and of a zip, HAR file, MHTML file or trace. The gateway's
 * limits apply to the page that is made of them.
 */
const MOST_BYTES = 100_000_000;

/**
 * Reads a bundle from the files that `interleave fetch` wrote or the window saved. The hash is the same as that of the
 * bundle that was written. Returns undefined if the files are not a bundle, if one of them is missing or was changed,
 * or if they exceed the gateway's limits.
 */
async function savedBundle(files: FileSet): Promise<Bundle | undefined> {
  if (!files.paths.includes(INDEX)) return undefined;
  try {
    const json = await files.read(DOCUMENT, GATEWAY_LIMITS.pageBytes);
    const document = json && readBundleDocument(json);
    if (document === undefined || document.objects.length > GATEWAY_LIMITS.objects + 1) return undefined;
    const read: BundleFile[] = [];
    let bytes = 0;
    for (const {file: path, ...object} of document.objects) {
      bytes += object.bytes;
      if (bytes > GATEWAY_LIMITS.pageBytes) return undefined;
      const found = await files.read(path, GATEWAY_LIMITS.objectBytes);
      if (found === undefined) return undefined;
      read.push({path, bytes: found});
    }
    return differingFile(read, document.objects) === undefined ? {files: read, document} : undefined;
  } catch (error) {
    if (error instanceof FetchError) return undefined;
    throw error;
  }
}
