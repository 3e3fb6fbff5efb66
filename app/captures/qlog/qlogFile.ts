import {type Json, readJson} from '../../base/json.ts';
import {showName} from '../../base/text.ts';
import {type Fields, listOf, numberOf, objectOf, textOf} from '../jsonFields.ts';

/** What one end of the connections logged. */
export interface QlogTrace {
  readonly vantage: 'client' | 'server';
  /** The events in order of time. */
  readonly events: readonly QlogEvent[];
}

export interface QlogEvent {
  /** Time since the reference time of the log. If the log has absolute times, time since its first event. */
  readonly atNs: number;
  /** The part of the name before the colon, in lower case: `quic`, `transport`, `http3`. Empty if there is none. */
  readonly namespace: string;
  /** The part after the colon: `packet_sent`. */
  readonly name: string;
  readonly data: Fields;
  /** The name of the connection (`group_id`). Empty if the log does not state it. */
  readonly group: string;
}

export type ReadQlogFile =
  | {readonly ok: true; readonly traces: readonly QlogTrace[]; readonly notes: readonly string[]}
  | {readonly ok: false; readonly message: string};

/**
 * Reads the events of a qlog file. Its format may be version 0.3 (draft-ietf-quic-qlog-main-schema-02), a later draft,
 * or version draft-00 or draft-01 (draft-marx-qlog-main-schema), in which events are lists. The file is one JSON text,
 * a JSON text sequence (RFC 7464), or one JSON text on each line.
 */
export function readQlogFile(text: string): ReadQlogFile {
  const start = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  const isSequence = text[start] === SEPARATOR;
  const lineEnd = text.indexOf('\n', start);
  const first = readJson(
    isSequence ? (recordAt(text, start + 1).record ?? '') : text.slice(start, lineEnd < 0 ? undefined : lineEnd),
  );
  const header = first.ok ? objectOf(first.value) : {};
  if (header['traces'] !== undefined || (!isSequence && header['trace'] === undefined)) return readWhole(text);
  if (header['qlog_version'] === undefined && header['file_schema'] === undefined) return NOT_QLOG;
  return readSequence(text, isSequence, header);
}

/** Reads a file that is one JSON text. */
function readWhole(text: string): ReadQlogFile {
  const read = readJson(text);
  if (!read.ok) return {ok: false, message: `The qlog file cannot be read: it is ${read.message}.`};
  const file = objectOf(read.value);
  const traces = listOf(file['traces'])
    .map(objectOf)
    .filter(trace => Array.isArray(trace['events']));
  if (file['qlog_version'] === undefined && file['file_schema'] === undefined && traces.length === 0) return NOT_QLOG;
  const count = traces.reduce((sum, trace) => sum + listOf(trace['events']).length, 0);
  if (count > MOST_EVENTS) return tooMany();
  return {ok: true, traces: traces.map(trace => traceOf(trace, listOf(trace['events']))), notes: []};
}

/** Reads a file with a JSON text for each event. */
function readSequence(text: string, isSequence: boolean, header: Fields): ReadQlogFile {
  const events: Json[] = [];
  let [unread, isLastUnread, isFirst] = [0, false, true];
  for (let at = 0; at < text.length; ) {
    const {record, next} = isSequence ? recordAt(text, at) : lineAt(text, at);
    at = next;
    if (record === '' || record === undefined) continue;
    if (isFirst) {
      isFirst = false;
      continue;
    }
    const read = readJson(record);
    isLastUnread = !read.ok;
    if (read.ok) events.push(read.value);
    else unread += 1;
    if (events.length > MOST_EVENTS) return tooMany();
  }
  const notes: string[] = [];
  if (isLastUnread) notes.push('The qlog file ends in the middle of an event.');
  const inside = unread - (isLastUnread ? 1 : 0);
  if (inside > 0) notes.push(`Events of the qlog file that are not valid JSON were left out: ${inside}.`);
  return {ok: true, traces: [traceOf(objectOf(header['trace']), events)], notes};
}

/**
 * Returns the record at the offset `at` of a sequence, and the offset after the record (RFC 7464 §2.1). If there is a
 * separator at `at`, the record begins after it.
 */
function recordAt(text: string, at: number): {readonly record: string; readonly next: number} {
  const from = text[at] === SEPARATOR ? at + 1 : at;
  const end = text.indexOf(SEPARATOR, from);
  return {record: text.slice(from, end < 0 ? undefined : end).trim(), next: end < 0 ? text.length : end};
}

function lineAt(text: string, at: number): {readonly record: string; readonly next: number} {
  const end = text.indexOf('\n', at);
  return {record: text.slice(at, end < 0 ? undefined : end).trim(), next: end < 0 ? text.length : end + 1};
}

function traceOf(trace: Fields, list: readonly Json[]): QlogTrace {
  const common = objectOf(trace['common_fields']);
  const configuration = objectOf(trace['configuration']);
  const names = listOf(trace['event_fields']).map(name => textOf(name) ?? '');
  const isMicroseconds = (configuration['time_units'] ?? common['time_units']) === 'us';
  const format = textOf(common['time_format']);
  const isDelta = format === 'delta' || format === 'relative_to_previous_event';
  const {type, flow} = objectOf(trace['vantage_point']);
  let previous = 0;
  const times: number[] = [];
  const events: Fields[] = [];
  for (const item of list) {
    const event = Array.isArray(item)
      ? Object.fromEntries(names.map((name, i) => [name, item[i] ?? null]))
      : objectOf(item);
    const time = timeOf(event['time'] ?? event['relative_time'] ?? event['delta_time']);
    if (time === undefined) continue;
    previous = isDelta || event['delta_time'] !== undefined ? previous + time : time;
    times.push(previous);
    events.push(event);
  }
  // Absolute times are large and keep few digits after the point. The first time is subtracted before the conversion to
  // ns, so that no more digits are lost.
  const base =
    format === undefined || format === 'absolute'
      ? times.reduce((least, time) => Math.min(least, time), times[0] ?? 0)
      : 0;
  const nsOf = (time: number) => Math.round((time - base) * (isMicroseconds ? 1e3 : 1e6));
  const read = events.map((event, i) => eventOf(event, nsOf(times[i] ?? 0), common));
  return {
    vantage: type === 'server' || (type === 'network' && flow === 'server') ? 'server' : 'client',
    events: read.sort((a, b) => a.atNs - b.atNs),
  };
}

function eventOf(event: Fields, atNs: number, common: Fields): QlogEvent {
  const name = (textOf(event['name']) ?? textOf(event['event']) ?? textOf(event['event_type']) ?? '').toLowerCase();
  const colon = name.indexOf(':');
  const namespace = colon < 0 ? (textOf(event['category']) ?? '').toLowerCase() : name.slice(0, colon);
  const group = event['group_id'] ?? common['group_id'];
  return {
    atNs,
    namespace,
    name: name.slice(colon + 1),
    data: objectOf(event['data']),
    group: group === undefined ? '' : showName(typeof group === 'string' ? group : JSON.stringify(group).slice(0, 60)),
  };
}

/** Times can be negative, if they are relative to a reference time in the middle of the log. */
function timeOf(value: Json | undefined): number | undefined {
  const negative = typeof value === 'number' && value < 0;
  const time = numberOf(negative ? -value : value);
  return time === undefined ? undefined : negative ? -time : time;
}

function tooMany(): ReadQlogFile {
  return {ok: false, message: `The qlog file has more than ${MOST_EVENTS} events, which is the limit.`};
}

const NOT_QLOG: ReadQlogFile = {
  ok: false,
  message: 'The file is not a qlog file: it has no qlog_version and no traces.',
};
const BYTE_ORDER_MARK = '\ufeff';
const SEPARATOR = '\u001e';
/** The largest number of events that is read. A load of 100 MB has about 500,000. */
const MOST_EVENTS = 2_000_000;
