import {crc32} from '../../base/bytes.ts';
import type {Json} from '../../base/json.ts';
import {messageOf, showValue} from '../../base/text.ts';
import {BROWSERS} from '../../browsers/list.ts';
import {CONVERSIONS} from '../../page/conversion.ts';
import {isFailureOrNull} from '../../page/failure.ts';
import type {PageStamp} from '../../page/page.ts';
import {findPipeline, pipelines} from '../../pipelines/index.ts';
import {SERVERS} from '../../servers/list.ts';
import type {TraceData} from './traceData.ts';

// The format of a trace file, little-endian. Its version is 4, or 5 if its panes were taken from other runs. (Version 1
// had failures as text and no checksum; 2 had one connection for each pane; 3 did not count timeouts, and
// had no data of an object that was delivered before earlier data of the same object.)
//   8 bytes   magic "ILTRACE\n"
//   4 bytes   version
//   4 bytes   length of the header, bytes
//   4 bytes   length of the columns, bytes
//   4 bytes   CRC-32 of all other bytes of the file
//   header    UTF-8 JSON, padded with spaces to a multiple of 8: the run, in which each column is replaced by
//             {"$column": [type, offset, length]}, with the offset in bytes from the end of the header
//   columns   each at a multiple of 8
// Columns are written as they are in memory: every machine on which this program runs is little-endian.

/** A run as it is saved: its scenario, and one trace for each pane. */
export interface Run {
  /** The result of `scenarioDocument`. Its `seed` is that of the run. */
  readonly scenario: Json;
  /** Identifies the page that was loaded. Absent if the run does not identify its page. */
  readonly page?: PageStamp;
  readonly panes: readonly TraceData[];
  /** The program that wrote the file, such as `interleave 0.1.0 (abc1234)`. Absent if the run was never saved. */
  readonly program?: string;
  /**
   * If the panes were taken from other runs: the source of each pane. Each source has a `scenario` and a `page`, which
   * replace those of this run.
   */
  readonly sources?: readonly PaneSource[];
}

/** The run that a pane belongs to, and the file that it came from. */
export interface PaneSource {
  /** The name of the trace file. */
  readonly file: string;
  readonly scenario: Json;
  readonly page?: PageStamp;
  /** Index of the pane in that run, from 0. */
  readonly pane: number;
}

export type DecodedRun = {readonly ok: true; readonly run: Run} | {readonly ok: false; readonly message: string};

/**
 * File versions: the first is that of a whole run, the second that of panes which were taken from other runs. They
 * differ so that older programs do not read panes of several runs as one run.
 */
const [TRACE_VERSION, JOINED_VERSION] = [4, 5];

/** The largest file that readers accept, in bytes, both compressed and uncompressed. */
export const MOST_FILE_BYTES = 64 * 1024 * 1024;

/** Encodes a run. Equal runs give equal bytes. */
export function encodeRun(run: Run): Uint8Array {
  const columns: Column[] = [];
  let columnBytes = 0;
  const header = JSON.stringify(run, (_key, value: unknown) => {
    const type = columnType(value);
    if (type === undefined) return value;
    const column = value as Column;
    const reference = {[COLUMN_KEY]: [type, columnBytes, column.length]};
    columns.push(column);
    columnBytes += aligned(column.byteLength);
    return reference;
  });
  const headerText = new TextEncoder().encode(header);
  const headerBytes = aligned(headerText.length);
  const file = new Uint8Array(PREFIX_BYTES + headerBytes + columnBytes);
  file.set(new TextEncoder().encode(MAGIC));
  const prefix = new DataView(file.buffer);
  prefix.setUint32(MAGIC.length, versionOf(run), true);
  prefix.setUint32(MAGIC.length + 4, headerBytes, true);
  prefix.setUint32(MAGIC.length + 8, columnBytes, true);
  file.fill(SPACE, PREFIX_BYTES, PREFIX_BYTES + headerBytes);
  file.set(headerText, PREFIX_BYTES);
  let at = PREFIX_BYTES + headerBytes;
  for (const column of columns) {
    file.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at);
    at += aligned(column.byteLength);
  }
  prefix.setUint32(CHECKSUM_AT, checksum(file), true);
  return file;
}

/** Whether a file begins like a trace file, complete or not. */
export function isRunFile(file: Uint8Array): boolean {
  return new TextDecoder().decode(file.subarray(0, MAGIC.length)) === MAGIC;
}

/** Decodes the result of {@link encodeRun}. It never throws. */
export function decodeRun(file: Uint8Array): DecodedRun {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < PREFIX_BYTES || !isRunFile(file)) return {ok: false, message: 'not a trace file'};
  const version = view.getUint32(MAGIC.length, true);
  if (version !== TRACE_VERSION && version !== JOINED_VERSION) {
    return {
      ok: false,
      message:
        `trace file of version ${version}, but this program reads versions ${TRACE_VERSION} and ${JOINED_VERSION}; ` +
        'the command interleave trace makes a new file',
    };
  }
  const columnsAt = PREFIX_BYTES + view.getUint32(MAGIC.length + 4, true);
  const fileBytes = columnsAt + view.getUint32(MAGIC.length + 8, true);
  if (file.length !== fileBytes) {
    return {ok: false, message: `damaged trace file: it has ${file.length} bytes instead of ${fileBytes}`};
  }
  const [is, was] = [checksum(file), view.getUint32(CHECKSUM_AT, true)];
  if (is !== was) {
    return {ok: false, message: `damaged trace file: its checksum is ${hex(is)} instead of ${hex(was)}`};
  }
  try {
    const header = new TextDecoder().decode(file.subarray(PREFIX_BYTES, columnsAt));
    const run = JSON.parse(header) as Run;
    if (!isRecord(run)) return {ok: false, message: 'damaged trace file: no scenario'};
    let unreadBytes = file.length - columnsAt;
    placeColumns(run, reference => {
      const column = readColumn(file, columnsAt, reference);
      unreadBytes -= column.byteLength;
      // Without this limit, a small file could fill the memory with copies of one column.
      if (unreadBytes < 0) throw new RangeError('its columns overlap');
      return column;
    });
    if (run.scenario === undefined) return {ok: false, message: 'damaged trace file: no scenario'};
    if (!Array.isArray(run.panes) || !run.panes.every(isRecord))
      return {ok: false, message: 'damaged trace file: no panes'};
    if (version !== versionOf(run) || !hasSources(run) || !['string', 'undefined'].includes(typeof run.program))
      return {ok: false, message: 'damaged trace file: the sources of its panes or its program are not valid'};
    const stranger = (run.panes as readonly TraceData[]).find(pane => findPipeline(pane.pipeline) === undefined);
    if (stranger !== undefined) {
      const [shown, known] = [showValue(stranger.pipeline), pipelines().map(({name}) => name)];
      return {ok: false, message: `trace file of pipeline ${shown} (this program has ${known.join(', ')})`};
    }
    const unknown = (run.panes as readonly TraceData[]).find(
      ({conversion}) => conversion !== undefined && !CONVERSIONS.includes(conversion),
    );
    if (unknown !== undefined) {
      const shown = showValue(unknown.conversion);
      return {ok: false, message: `trace file with pictures converted to ${shown} (known: ${CONVERSIONS.join(', ')})`};
    }
    const server = (run.panes as readonly TraceData[]).map(each => each.server).find(each => !isServerOrAbsent(each));
    if (server !== undefined) {
      const known = SERVERS.map(({name}) => name).join(', ');
      return {ok: false, message: `trace file of server ${showValue(server)} (this program has ${known})`};
    }
    const browser = (run.panes as readonly TraceData[])
      .map(each => each.browser)
      .find(each => !isBrowserOrAbsent(each));
    if (browser !== undefined) {
      const known = BROWSERS.map(({name}) => name).join(', ');
      return {ok: false, message: `trace file of browser ${showValue(browser)} (this program has ${known})`};
    }
    const areKnown = (run.panes as readonly TraceData[]).every(({objects}) => hasFailures(objects));
    return areKnown ? {ok: true, run} : {ok: false, message: 'damaged trace file: an object has an unknown failure'};
  } catch (error) {
    return {ok: false, message: `damaged trace file: ${messageOf(error)}`};
  }
}

function isBrowserOrAbsent(browser: unknown): boolean {
  return browser === undefined || BROWSERS.some(({name}) => name === browser);
}

function isServerOrAbsent(server: unknown): boolean {
  return server === undefined || SERVERS.some(({name}) => name === server);
}

function versionOf({sources}: Run): number {
  return sources === undefined ? TRACE_VERSION : JOINED_VERSION;
}

/** Whether there is a valid source for each pane, or no sources at all. */
function hasSources({panes, sources}: Run): boolean {
  if (sources === undefined) return true;
  if (!Array.isArray(sources) || sources.length !== panes.length) return false;
  return sources.every(source => {
    if (!isRecord(source)) return false;
    const {file, scenario, pane} = source as Partial<PaneSource>;
    return typeof file === 'string' && scenario !== undefined && Number.isInteger(pane);
  });
}

/** Whether the objects have valid failures. `traceProblem` checks their other fields. */
function hasFailures(objects: unknown): boolean {
  if (!Array.isArray(objects)) return false;
  return objects.every(object => isRecord(object) && isFailureOrNull((object as {failure?: unknown}).failure));
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

function checksum(file: Uint8Array): number {
  return crc32(file.subarray(0, CHECKSUM_AT), file.subarray(CHECKSUM_AT + 4));
}

function hex(value: number): string {
  return value.toString(16).padStart(8, '0');
}

/**
 * Replaces each reference in the header by its column. A reference has a type, an offset from the end of the header,
 * and a length in elements. JSON.parse with a reviver would be slower, because it calls the reviver for every number
 * and text, too.
 */
function placeColumns(node: unknown, read: (reference: unknown) => Column): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    const reference = (value as {[COLUMN_KEY]?: unknown} | null)?.[COLUMN_KEY];
    if (reference === undefined) placeColumns(value, read);
    else (node as Record<string, unknown>)[key] = read(reference);
  }
}

function readColumn(file: Uint8Array, columnsAt: number, reference: unknown): Column {
  const [type, offset, length] = Array.isArray(reference) ? (reference as readonly unknown[]) : [];
  const isKnown = typeof type === 'string' && Object.hasOwn(COLUMN_TYPES, type);
  if (!isKnown || !isIndex(offset) || !isIndex(length))
    throw new RangeError('it has a column with an invalid type, offset or length');
  const Type = COLUMN_TYPES[type as ColumnType];
  const start = columnsAt + offset;
  // Copies the bytes to align them for their type. `slice` of Node's Buffer would not copy.
  const bytes = new Uint8Array(file.subarray(start, start + length * Type.BYTES_PER_ELEMENT));
  if (bytes.length !== length * Type.BYTES_PER_ELEMENT) throw new RangeError('it ends too early');
  return new Type(bytes.buffer, 0, length);
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function columnType(value: unknown): ColumnType | undefined {
  return (Object.keys(COLUMN_TYPES) as ColumnType[]).find(type => value instanceof COLUMN_TYPES[type]);
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

const COLUMN_TYPES = {u8: Uint8Array, u32: Uint32Array, f64: Float64Array} as const;
type ColumnType = keyof typeof COLUMN_TYPES;
type Column = Uint8Array | Uint32Array | Float64Array;

const COLUMN_KEY = '$column';
const MAGIC = 'ILTRACE\n';
const PREFIX_BYTES = 24;
const CHECKSUM_AT = 20;
const SPACE = 0x20;

// Browsers and Node have these classes (WHATWG Encoding), but app/ is compiled without the types of either.
declare const TextEncoder: new () => {encode(text: string): Uint8Array};
declare const TextDecoder: new () => {decode(bytes: Uint8Array): string};
