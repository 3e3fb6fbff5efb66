import type {Json} from '../../app/base/json.ts';
import {check, fail, number, object, oneOf, optional, type Parser, required, text} from '../../app/base/schema.ts';

// An embedded window and the page around it talk by `postMessage`. docs/embedding.md describes the messages for users.

/** The commands that the page around an embedded window can send. */
export type EmbedCommand =
  | {readonly command: 'state' | 'play' | 'pause' | 'next' | 'back'}
  | {readonly command: 'seek'; readonly tS: number}
  | {readonly command: 'set'; readonly key: string; readonly value: Json};

/** What an embedded window tells the page around it. */
export type EmbedEvent =
  | {readonly interleave: 1; readonly event: 'state'; readonly state: EmbedState}
  /** The last command was not carried out. `message` is one line that says why. */
  | {readonly interleave: 1; readonly event: 'refused'; readonly message: string};

export interface EmbedState {
  /** Whether the run of the scenario is on screen. */
  readonly isReady: boolean;
  readonly isPlaying: boolean;
  /** The time on screen, and the end of the run, in seconds since the run's start. */
  readonly tS: number;
  readonly endS: number;
  /** The number of the story's step on screen, from 1, and the number of its steps. Null without a story. */
  readonly step: number | null;
  readonly steps: number | null;
  /** The scenario, with all settings. */
  readonly scenario: Json;
}

export type ReadCommand =
  | {readonly ok: true; readonly command: EmbedCommand}
  | {readonly ok: false; readonly message: string};

/**
 * Whether a message is meant for an embedded window, because it has the key `interleave`. Other scripts of the page may
 * send messages without this key.
 */
export function isForEmbed(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'interleave' in message;
}

/** Reads a message. A message with other keys than those of its command is refused. */
export function readCommand(message: unknown): ReadCommand {
  const checked = check(anyCommand, message);
  if (!checked.ok) return {ok: false, message: checked.problems[0].message};
  const {command, tS, key, value} = checked.value;
  if (command === 'seek' && tS !== undefined && key === undefined && value === undefined) {
    return {ok: true, command: {command, tS}};
  }
  if (command === 'set' && key !== undefined && value !== undefined && tS === undefined) {
    return {ok: true, command: {command, key, value}};
  }
  if (command === 'seek' || command === 'set') return refusedFor(command, command === 'seek' ? 'tS' : 'key and value');
  if (tS !== undefined || key !== undefined || value !== undefined) return refusedFor(command, 'nothing else');
  return {ok: true, command: {command}};
}

function refusedFor(command: string, keys: string): ReadCommand {
  return {ok: false, message: `the command ${command} takes ${keys}`};
}

const one: Parser<1> = (value, path, problems) => (value === 1 ? 1 : fail(problems, path, value, '1'));

/**
 * Copies a value by JSON, because messages may contain values that JSON does not have. The scenario's parser checks the
 * copy.
 */
const json: Parser<Json> = (value, path, problems) => {
  try {
    const text = JSON.stringify(value) ?? '';
    if (text !== '' && text.length <= LONGEST_VALUE) return JSON.parse(text) as Json;
  } catch {
    // the value contains itself, or a BigInt, which JSON does not have
  }
  return fail(problems, path, '…', `JSON of at most ${LONGEST_VALUE} characters`);
};

/** The largest number of characters of a value. A list of 100,000 lost packets has about 700,000 characters. */
const LONGEST_VALUE = 1_000_000;

const anyCommand = object('a command', {
  interleave: required(one),
  command: required(oneOf(['state', 'play', 'pause', 'next', 'back', 'seek', 'set'])),
  tS: optional(number(0, 1e6), undefined),
  key: optional(text(100), undefined),
  value: optional(json, undefined),
});
