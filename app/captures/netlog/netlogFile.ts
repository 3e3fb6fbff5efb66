import {type Json, readJson} from '../../base/json.ts';
import {type Fields, listOf, numberOf, objectOf, textOf} from '../jsonFields.ts';

/** An event of a network log, with names in place of numbers. */
export interface NetlogEvent {
  /** Time since an unknown moment. The log has whole milliseconds. */
  readonly atNs: number;
  readonly name: string;
  readonly phase: 'begin' | 'end' | 'none';
  /** The number of the object of Chromium that logged the event. */
  readonly source: number;
  readonly sourceType: string;
  readonly params: Fields;
}

export type ReadNetlogFile =
  | {readonly ok: true; readonly events: readonly NetlogEvent[]; readonly notes: readonly string[]}
  | {readonly ok: false; readonly message: string};

/**
 * Reads the events of a network log (`--log-net-log`). If the browser was killed, the log has no end. It is then read
 * line by line up to the last whole event, because the browser writes one event on each line.
 */
export function readNetlogFile(text: string): ReadNetlogFile {
  const start = EVENTS_START.exec(text.slice(0, MOST_CONSTANTS_CHARACTERS));
  if (start === null) return NOT_NETLOG;
  const head = readJson(`${text.slice(0, start.index)}}`);
  const constants = head.ok ? objectOf(objectOf(head.value)['constants']) : {};
  const names = {
    types: namesOf(constants['logEventTypes']),
    sources: namesOf(constants['logSourceType']),
    phases: namesOf(constants['logEventPhase']),
  };
  if (names.types.size === 0) return NOT_NETLOG;
  const whole = readJson(text);
  const notes: string[] = [];
  let events: readonly Json[];
  if (whole.ok) events = listOf(objectOf(whole.value)['events']);
  else {
    events = eventLines(text, start.index + start[0].length);
    notes.push('The network log has no end, so it was read up to its last whole event.');
  }
  if (events.length > MOST_EVENTS)
    return {ok: false, message: `The network log has more than ${MOST_EVENTS} events, which is the limit.`};
  return {ok: true, events: events.flatMap(event => namedEvent(objectOf(event), names) ?? []), notes};
}

interface Names {
  readonly types: ReadonlyMap<number, string>;
  readonly sources: ReadonlyMap<number, string>;
  readonly phases: ReadonlyMap<number, string>;
}

/** Reads the events from lines, up to the first that is not whole. */
function eventLines(text: string, from: number): readonly Json[] {
  const events: Json[] = [];
  for (let at = from; at < text.length && events.length <= MOST_EVENTS; ) {
    const end = text.indexOf('\n', at);
    const line = text
      .slice(at, end < 0 ? undefined : end)
      .trim()
      .replace(/,$/, '');
    at = end < 0 ? text.length : end + 1;
    if (line === '') continue;
    const read = readJson(line);
    if (!read.ok) break;
    events.push(read.value);
  }
  return events;
}

function namedEvent(event: Fields, {types, sources, phases}: Names): NetlogEvent | undefined {
  const time = numberOf(event['time']);
  const source = objectOf(event['source']);
  const [name, id] = [types.get(numberOf(event['type']) ?? -1), numberOf(source['id'])];
  if (time === undefined || name === undefined || id === undefined) return undefined;
  const phase = phases.get(numberOf(event['phase']) ?? -1);
  return {
    atNs: time * 1e6,
    name,
    phase: phase === 'PHASE_BEGIN' ? 'begin' : phase === 'PHASE_END' ? 'end' : 'none',
    source: id,
    sourceType: sources.get(numberOf(source['type']) ?? -1) ?? '',
    params: objectOf(event['params']),
  };
}

/** Returns the names of a list of constants, by number. The numbers differ between versions of the browser. */
function namesOf(constants: Json | undefined): ReadonlyMap<number, string> {
  return new Map(Object.entries(objectOf(constants)).map(([name, number]) => [numberOf(number) ?? -1, name]));
}

/** Returns the number of the object that an event refers to. Undefined if there is none. */
export function dependencyOf({params}: NetlogEvent): number | undefined {
  return numberOf(objectOf(params['source_dependency'])['id']);
}

/** Returns the field lines of an event, such as `accept: *` or `:path: /`. */
export function fieldsOf({params}: NetlogEvent): readonly (readonly [name: string, value: string])[] {
  return listOf(params['headers'])
    .slice(0, MOST_FIELDS)
    .flatMap(line => {
      const [, name, value] = FIELD_LINE.exec(textOf(line) ?? '') ?? [];
      return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value] as const];
    });
}

const NOT_NETLOG: ReadNetlogFile = {
  ok: false,
  message: 'The file is not a network log: it must have constants and then events.',
};
const EVENTS_START = /,\s*"events"\s*:\s*\[/;
const FIELD_LINE = /^(:?[^:\s]+): ?(.*)$/s;
/** The constants precede the events. They have about 60,000 characters. */
const MOST_CONSTANTS_CHARACTERS = 4_000_000;
/** The largest number of events that is read. */
const MOST_EVENTS = 2_000_000;
const MOST_FIELDS = 1000;
