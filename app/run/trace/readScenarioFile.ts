import type {ReadJson} from '../../base/json.ts';
import {readBytes} from '../scenario/readScenario.ts';
import {decodeRun, isRunFile} from './runFile.ts';

/**
 * Whether a trace file holds a run that no scenario can reproduce: a live or captured run, or panes that were taken
 * from other runs. False if the bytes are no valid trace file.
 */
export function hasNoScenario(bytes: Uint8Array): boolean {
  if (!isRunFile(bytes)) return false;
  const decoded = decodeRun(bytes);
  return decoded.ok && (decoded.run.sources !== undefined || hasHappened(decoded.run.scenario));
}

function hasHappened(scenario: unknown): boolean {
  const {path} = (scenario ?? {}) as {readonly path?: {readonly live?: unknown; readonly captured?: unknown} | null};
  return path?.live !== undefined || path?.captured !== undefined;
}

/** Reads the scenario document from a scenario file or a trace file. */
export function readFile(bytes: Uint8Array): ReadJson {
  if (!isRunFile(bytes)) return readBytes(bytes);
  const decoded = decodeRun(bytes);
  if (!decoded.ok) return decoded;
  const {scenario, sources} = decoded.run;
  if (sources !== undefined)
    return {
      ok: false,
      message: 'the panes of this trace file were chosen from one or several runs, so it has no scenario',
    };
  return {ok: true, value: scenario};
}

/** What a window can open, for the message about a file of another kind. */
export const OPENABLE =
  'Interleave opens pages (a folder, .html, .har, .mhtml or .zip, or pictures), scenarios and stories (.json), ' +
  'trace files (.trace, .trace.gz), and captures (.pcapng, .pcap, .qlog, .sqlog, .json, .har)';

/**
 * Whether a file has content of an unknown kind: it is no trace file, and it does not begin like a JSON object. The
 * error that a parser reports for such a file would not help the user.
 */
export function isUnknownFile(bytes: Uint8Array): boolean {
  if (bytes.length === 0 || isRunFile(bytes)) return false;
  // a byte order mark and white space may come first
  const first = bytes.find(byte => !SKIPPED.includes(byte));
  return first !== undefined && first !== OBJECT;
}

/** The bytes of UTF-8's byte order mark, tab, line feed, carriage return and space. */
const SKIPPED: readonly number[] = [0xef, 0xbb, 0xbf, 0x09, 0x0a, 0x0d, 0x20];
/** `{`, with which every document of ours begins. */
const OBJECT = 0x7b;
