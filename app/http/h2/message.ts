import type {Field} from '../hpack/field.ts';
import {StreamError} from './error.ts';

/** A request's or a response's field block (RFC 9113 §8.2, §8.3), by name; the last of a name counts. */
export type MessageFields = ReadonlyMap<string, string>;

/** @throws StreamError if it is malformed (RFC 9113 §8.1.1). */
export function requestFields(stream: number, fields: readonly Field[]): MessageFields {
  const found = checkedFields(stream, fields, REQUEST_PSEUDO);
  for (const name of [':method', ':scheme', ':path']) {
    if (!found.get(name)) throw malformed(stream, `no ${name}`);
  }
  return found;
}

/** @throws StreamError if it is malformed. */
export function responseFields(stream: number, fields: readonly Field[]): MessageFields {
  const found = checkedFields(stream, fields, RESPONSE_PSEUDO);
  if (!/^[1-9]\d\d$/.test(found.get(':status') ?? '')) throw malformed(stream, 'no :status');
  return found;
}

/** Behind a body: nothing of them is used. @throws StreamError if they are malformed. */
export function checkTrailers(stream: number, fields: readonly Field[], isEnd: boolean): void {
  if (!isEnd) throw malformed(stream, 'trailers that are no end'); // RFC 9113 §8.1
  checkedFields(stream, fields, NO_PSEUDO);
}

function checkedFields(
  stream: number,
  fields: readonly Field[],
  pseudo: ReadonlySet<string>,
): Map<string, string> {
  const found = new Map<string, string>();
  let isBehind = false;
  for (const [name, value] of fields) {
    if (name.startsWith(':')) {
      // before all others, once, and known (§8.3)
      if (isBehind || found.has(name) || !pseudo.has(name)) throw malformed(stream, `field ${name}`);
    } else {
      isBehind = true;
      if (!NAME.test(name) || OF_CONNECTION.has(name)) throw malformed(stream, `field ${name}`);
      if (name === 'te' && value !== 'trailers') throw malformed(stream, `te: ${value}`);
    }
    if (BAD_VALUE.test(value)) throw malformed(stream, `the value of ${name}`);
    found.set(name, value);
  }
  return found;
}

function malformed(stream: number, message: string): StreamError {
  return new StreamError(stream, 'PROTOCOL_ERROR', message);
}

const REQUEST_PSEUDO = new Set([':method', ':scheme', ':path', ':authority']);
const RESPONSE_PSEUDO = new Set([':status']);
const NO_PSEUDO = new Set<string>();
/** RFC 9113 §8.2.2. */
const OF_CONNECTION = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);
/** A token (RFC 9110 §5.6.2) without capitals (RFC 9113 §8.2.1). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** RFC 9113 §8.2.1. */
const BAD_VALUE = /[\0\r\n]|^[ \t]|[ \t]$/;
