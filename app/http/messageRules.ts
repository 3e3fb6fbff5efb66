import type {Field} from './hpack/field.ts';

/**
 * Thrown for a message that breaks the rules for fields in HTTP/2 and HTTP/3. The stream of the message cannot be used
 * any more (RFC 9113 §8.1.1; RFC 9114 §4.1.2).
 */
export class MessageError extends Error {
  override readonly name = 'MessageError';
}

/**
 * Maps the names of the fields of a request or response to their values (RFC 9113 §8.2, §8.3; RFC 9114 §4.2, §4.3). If
 * a name occurs twice, the map holds the last value.
 */
export type MessageFields = ReadonlyMap<string, string>;

/** Checks the fields of a request and returns them as a map. @throws MessageError if a field is invalid or missing */
export function requestFields(fields: readonly Field[]): MessageFields {
  const known = requests.get(fields);
  if (known !== undefined) return known;
  const found = checkedFields(fields, REQUEST_PSEUDO);
  for (const name of [':method', ':scheme', ':path']) {
    if (!found.get(name)) throw new MessageError(`field ${name} is missing`);
  }
  requests.set(fields, found);
  return found;
}

/** Checks the fields of a response and returns them as a map. @throws MessageError if a field is invalid or missing */
export function responseFields(fields: readonly Field[]): MessageFields {
  const known = responses.get(fields);
  if (known !== undefined) return known;
  const found = checkedFields(fields, RESPONSE_PSEUDO);
  if (!/^[1-9]\d\d$/.test(found.get(':status') ?? '')) throw new MessageError('field :status is missing or invalid');
  responses.set(fields, found);
  return found;
}

/** Checks the trailers, which are the fields after a body. Valid trailers are ignored. @throws MessageError */
export function checkTrailers(fields: readonly Field[], isEnd: boolean): void {
  if (!isEnd) throw new MessageError('trailers without END_STREAM'); // RFC 9113 §8.1
  checkedFields(fields, NO_PSEUDO);
}

function checkedFields(fields: readonly Field[], pseudo: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  let hasFields = false;
  for (const [name, value] of fields) {
    if (name.startsWith(':')) {
      // Each pseudo-field must be known, precede all other fields, and occur only once (RFC 9113 §8.3).
      if (hasFields || found.has(name) || !pseudo.has(name))
        throw new MessageError(`pseudo-field ${name} is unknown, repeated, or after other fields`);
    } else {
      hasFields = true;
      if (!NAME.test(name) || OF_CONNECTION.has(name)) throw new MessageError(`field ${name} is not allowed`);
      if (name === 'te' && value !== 'trailers') throw new MessageError(`field te is ${value} (must be trailers)`);
    }
    if (BAD_CHARACTER.test(value) || isBlank(value, 0) || isBlank(value, value.length - 1))
      throw new MessageError(`field ${name} has an invalid value`);
    found.set(name, value);
  }
  return found;
}

/**
 * Maps each checked list of fields to the result. The decoders of HPACK and QPACK cache the lists that they return, so
 * the same list often arrives again. It is then not checked again.
 */
const requests = new WeakMap<readonly Field[], MessageFields>();
const responses = new WeakMap<readonly Field[], MessageFields>();
const REQUEST_PSEUDO = new Set([':method', ':scheme', ':path', ':authority']);
const RESPONSE_PSEUDO = new Set([':status']);
const NO_PSEUDO = new Set<string>();
/** Fields about the connection, which are forbidden (RFC 9113 §8.2.2). */
const OF_CONNECTION = new Set(['connection', 'proxy-connection', 'keep-alive', 'transfer-encoding', 'upgrade']);
/** A field name is a token (RFC 9110 §5.6.2) without capitals (RFC 9113 §8.2.1). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** Characters that are forbidden in values (RFC 9113 §8.2.1, RFC 9114 §4.2). */
const BAD_CHARACTER = /[\0\r\n]/;

function isBlank(value: string, at: number): boolean {
  const code = value.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}
