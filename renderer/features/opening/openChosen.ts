import {captureFormat} from '../../../app/captures/captureFormat.ts';
import {isBrowserTrace} from '../../../app/page/browserTrace.ts';
import {PAGE_FILE} from '../../../app/run/scenario/pageSource.ts';
import type {TraceFile} from '../../../app/run/trace/joinRuns.ts';
import {isRunFile, MOST_FILE_BYTES} from '../../../app/run/trace/runFile.ts';
import type {Session} from '../../session/session.ts';
import {OPENER, type PathFile, type Show} from './pageOpener.ts';

/**
 * Opens files together if they are a page, captures or trace files. Otherwise it opens only the first file, as a
 * scenario, a trace or a story. If the files are a page, `show` is called with it. Without `show`, the page is loaded
 * with the path and the panes on screen.
 */
export async function openChosen(session: Session, files: readonly PathFile[], show?: Show): Promise<void> {
  const [first] = files;
  if (first === undefined) return;
  const opener = session.stateOf(OPENER);
  const name = nameOf(files, first);
  const hars = files.filter(({path}) => HAR.test(path));
  if (files.some(({path}) => (PAGE_FILE.test(path) && !HAR.test(path)) || PICTURE.test(path))) {
    opener.openFiles(name, files, show);
    return;
  }
  if (hars.length === 1 && files.every(({path}) => HAR.test(path) || /\.json(\.gz)?$/i.test(path))) {
    openHar(session, name, files, show);
    return;
  }
  opener.cancel();
  const read = await readChosen(files);
  const [own] = read;
  if (own === undefined) return;
  if (areCaptures(read)) {
    opener.openCaptures(name, read.map(sent), traces => session.documents.openTraces(traces));
    return;
  }
  if (isBrowserTrace(own.bytes)) {
    opener.openFiles(name, files, show);
    return;
  }
  if (read.length > 1 && read.every(({bytes}) => isRunFile(bytes))) session.documents.openTraces(read);
  else session.documents.openFile(own.name, own.bytes);
}

/** Shows trace files or captures beside the run on screen. */
export async function addChosen(session: Session, files: readonly PathFile[]): Promise<void> {
  const [first] = files;
  if (first === undefined) return;
  const {documents} = session;
  const read = await readChosen(files);
  if (!areCaptures(read)) documents.addTraces(read);
  else session.stateOf(OPENER).openCaptures(nameOf(files, first), read.map(sent), each => documents.addTraces(each));
}

function areCaptures(files: readonly TraceFile[]): boolean {
  return files.every(({bytes}) => captureFormat(bytes) !== undefined);
}

/** Returns an unpacked file in the form in which it is sent to the host. */
function sent({name, bytes}: TraceFile): PathFile {
  return {path: name, file: new Blob([bytes as Uint8Array<ArrayBuffer>])};
}

/**
 * Opens a HAR file as a page, perhaps with a browser's trace of the same page. The HAR file also has the times of a
 * recorded load, and a notice offers to show this load beside the computed ones.
 */
function openHar(session: Session, name: string, files: readonly PathFile[], show: Show | undefined): void {
  const {documents, notices} = session;
  const opener = session.stateOf(OPENER);
  const hars = files.filter(({path}) => HAR.test(path));
  const offer = (): void =>
    notices.showMessage(`${name} is loaded as a page. It also has the times of a recorded load.`, [], {
      label: 'Show the recorded load beside it',
      act: () => opener.openCaptures(name, hars, traces => documents.addTraces(traces)),
    });
  opener.openFiles(name, files, show, offer);
}

/** Reads files, and unpacks those that are compressed. */
function readChosen(files: readonly PathFile[]): Promise<readonly TraceFile[]> {
  return Promise.all(files.map(async ({path, file}) => ({name: path, bytes: await unpacked(file)})));
}

/**
 * Unpacks a gzip file up to the size limit of traces. Files of other formats, damaged gzip files, and files that would
 * exceed the limit are returned unchanged.
 */
async function unpacked(file: Blob): Promise<Uint8Array> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] !== GZIP[0] || bytes[1] !== GZIP[1]) return bytes;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  try {
    const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
    for (let {done, value} = await reader.read(); !done; {done, value} = await reader.read()) {
      if (value === undefined) continue;
      length += value.length;
      // a small file can unpack to an unlimited size
      if (length > MOST_FILE_BYTES) return bytes;
      pieces.push(value);
    }
  } catch {
    return bytes;
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

/** The first bytes of a gzip file (RFC 1952 §2.3.1). */
const GZIP = [0x1f, 0x8b];

function nameOf(files: readonly PathFile[], {path}: PathFile): string {
  const [top = path, ...rest] = path.split('/');
  return files.length === 1 || rest.length > 0 ? top : `${top} and ${files.length - 1} more`;
}

/** Matches HAR files, which can be opened as pages or as captures. */
const HAR = /\.har$/i;

/** Matches pictures, from which a gallery page can be made. */
const PICTURE = /\.(png|jpe?g|jfif|gif|webp|avif|svg|bmp)$/i;
