import {readJson} from '../../../app/base/json.ts';
import {
  anyText,
  boolean,
  check,
  fail,
  file,
  integer,
  isObject,
  list,
  number,
  object,
  oneOf,
  orNull,
  type Parser,
  required,
} from '../../../app/base/schema.ts';
import type {Insertion, RecordedBox, RecordedCause, RecordedRequest, Recording} from '../../../app/page/recording.ts';
import {program} from '../../files/program.ts';
import {bundlePath} from './bundleDocument.ts';

/** The media type of a bundle's recording in `bundle.json`. */
export const RECORDING_TYPE = 'application/json';

/** Largest size of the file of a recording, in bytes. */
export const LONGEST_RECORDING = 20_000_000;

export function recordingText(recording: Recording<string>): string {
  return `${JSON.stringify({program: program(), ...recording}, null, 1)}\n`;
}

/** Reads a recording. Returns undefined if it is invalid. */
export function readRecording(bytes: Uint8Array): Recording<string> | undefined {
  if (bytes.length > LONGEST_RECORDING) return undefined;
  const json = readJson(Buffer.from(bytes).toString());
  if (!json.ok) return undefined;
  const recording = check(recordingFile, json.value);
  return recording.ok ? recording.value : undefined;
}

const ms = number(0, 864e5);
const pixels = number(-1e7, 1e7);
const size = integer(1, 100_000);
const count = integer(0, Number.MAX_SAFE_INTEGER);

const CAUSES: {readonly [by: string]: Parser<RecordedCause<string>>} = {
  html: object('a cause', {by: required(oneOf(['html'])), object: required(bundlePath)}),
  style: object('a cause', {by: required(oneOf(['style'])), object: required(bundlePath)}),
  script: object('a cause', {by: required(oneOf(['script'])), object: required(bundlePath)}),
  inline: object('a cause', {by: required(oneOf(['inline'])), script: required(integer(0, 100_000))}),
  data: object('a cause', {by: required(oneOf(['data'])), object: required(bundlePath)}),
  load: object('a cause', {by: required(oneOf(['load'])), event: required(oneOf(['DOMContentLoaded', 'load']))}),
};

const cause: Parser<RecordedCause<string>> = (value, path, problems) => {
  const by = isObject(value) ? value['by'] : undefined;
  const parse = typeof by === 'string' && Object.hasOwn(CAUSES, by) ? CAUSES[by] : undefined;
  if (parse === undefined) return fail(problems, path, value, `a cause by ${Object.keys(CAUSES).join(', ')}`);
  return parse(value, path, problems);
};

const request: Parser<RecordedRequest<string>> = object('a request', {
  object: required(bundlePath),
  cause: required(cause),
  cpuMs: required(ms),
  waitMs: required(ms),
  type: required(oneOf(['document', 'style', 'script', 'image', 'font', 'media', 'data', 'other'])),
  priority: required(oneOf(['VeryHigh', 'High', 'Medium', 'Low', 'VeryLow'])),
  blocking: required(boolean()),
  runMs: required(ms),
});

const insertion: Parser<Insertion<string>> = object('an insertion', {
  cause: required(cause),
  at: required(count),
  html: required(anyText()),
});

const box: Parser<RecordedBox<string>> = object('a box', {
  object: required(orNull(bundlePath)),
  x: required(pixels),
  y: required(pixels),
  width: required(pixels),
  height: required(pixels),
});

/** Largest number of entries of each list. This is far more than the gateway's limits allow. */
const MOST = 10_000;

const recordingFile: Parser<Recording<string>> = file('a recording', {
  browser: required(anyText()),
  viewport: required(object('a viewport', {width: required(size), height: required(size)})),
  requests: required(list(request, 0, MOST)),
  insertions: required(list(insertion, 0, MOST)),
  boxes: required(list(box, 0, MOST)),
  all: required(object('all requests', {requests: required(count), bytes: required(count)})),
});
