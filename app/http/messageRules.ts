import type {Field} from './hpack/field.ts';

/**
 * Thrown for a message that breaks the rules for fields in HTTP/2 and HTTP/3. Its stream cannot be used any more (RFC
 * 9113 §8.1.1; RFC 9114 §4.1.2).
 */
export class MessageError extends Error {
  override readonly name = 'MessageError';
}

/**
 * The fields of a request or response by name (RFC 9113 §8.2, §8.3; RFC 9114 §4.2, §4.3). The last field of a name
 * counts.
 */
export type MessageFields = ReadonlyMap<string, string>;

/** @throws MessageError */
export function requestFields(fields: readonly Field[]): MessageFields {
  const known = requests.get(fields);
  if (known !== undefined) return known;
  const found = checkedFields(fields, REQUEST_PSEUDO);
  for (const name of [':method', ':scheme', ':path']) {
    if (!found.get(name)) throw new MessageError(`no ${name}`);
  }
  requests.set(fields, found);
  return found;
}

/** @throws MessageError */
export function responseFields(fields: readonly Field[]): MessageFields {
  const known = responses.get(fields);
  if (known !== undefined) return known;
  const found = checkedFields(fields, RESPONSE_PSEUDO);
  if (!/^[1-9]\d\d$/.test(found.get(':status') ?? '')) throw new MessageError('no :status');
  responses.set(fields, found);
  return found;
}

/** Checks the fields after a body, which are otherwise ignored. @throws MessageError */
export function checkTrailers(fields: readonly Field[], isEnd: boolean): void {
  if (!isEnd) throw new MessageError('trailers that are no end'); // RFC 9113 §8.1
  checkedFields(fields, NO_PSEUDO);
}

function checkedFields(fields: readonly Field[], pseudo: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  let isBehind = false;
  for (const [name, value] of fields) {
    if (name.startsWith(':')) {
      // Pseudo-fields precede all others, occur once, and must be known (RFC 9113 §8.3).
      if (isBehind || found.has(name) || !pseudo.has(name)) throw new MessageError(`field ${name}`);
    } else {
      isBehind = true;
      if (!NAME.test(name) || OF_CONNECTION.has(name)) throw new MessageError(`field ${name}`);
      if (name === 'te' && value !== 'trailers') throw new MessageError(`te: ${value}`);
    }
    if (BAD_CHARACTER.test(value) || isBlank(value, 0) || isBlank(value, value.length - 1))
      throw new MessageError(`the value of ${name}`);
    found.set(name, value);
  }
  return found;
}

/** Results by list, because equal QPACK sections give the same list. */
const requests = new WeakMap<readonly Field[], MessageFields>();
const responses = new WeakMap<readonly Field[], MessageFields>();
const REQUEST_PSEUDO = new Set([':method', ':scheme', ':path', ':authority']);
const RESPONSE_PSEUDO = new Set([':status']);
const NO_PSEUDO = new Set<string>();
/** Fields that concern the connection are forbidden (RFC 9113 §8.2.2). */
const OF_CONNECTION = new Set(['connection', 'proxy-connection', 'keep-alive', 'transfer-encoding', 'upgrade']);
/** A token (RFC 9110 §5.6.2) without capitals (RFC 9113 §8.2.1). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** Forbidden in values (RFC 9113 §8.2.1, RFC 9114 §4.2). Values have no blanks at their ends, either. */
const BAD_CHARACTER = /[\0\r\n]/;

function isBlank(value: string, at: number): boolean {
  const code = value.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}
