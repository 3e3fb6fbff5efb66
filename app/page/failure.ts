/** Why an object is incomplete. Sizes are in bytes. */
export type Failure =
  /** The server answered with a status other than 200. */
  | {readonly kind: 'status'; readonly status: number}
  /** A live server answered with this status (404), although the expected page has the object. */
  | {readonly kind: 'absent'; readonly status: number}
  /**
   * A live server sent different bytes. `atByte` is the first difference, and `ofBytes` is the size in the expected
   * page.
   */
  | {readonly kind: 'differs'; readonly atByte: number; readonly ofBytes: number}
  /** The expected page has the object, but nothing that a live server sent names it. */
  | {readonly kind: 'unnamed'}
  /**
   * A request head or response header exceeds its limit, or a message exceeds the largest that the transport accepts.
   * `bytes` is null if the parser gave the header up before its end.
   */
  | {
      readonly kind: 'too-large';
      readonly what: 'request' | 'header' | 'message';
      readonly bytes: number | null;
      readonly limitBytes: number;
    }
  | {readonly kind: 'malformed'; readonly what: 'status line' | 'Content-Length'}
  /** More bytes arrived than Content-Length announced. */
  | {readonly kind: 'surplus'; readonly bytes: number}
  /**
   * The transport gave up for `reason`. By then `bytes` of the body's `ofBytes` had arrived; `ofBytes` is null if the
   * header had not.
   */
  | {
      readonly kind: 'aborted';
      readonly reason: string;
      readonly bytes: number;
      readonly ofBytes: number | null;
    }
  /** The scenario's time limit was reached. */
  | {
      readonly kind: 'time-limit';
      readonly limitMs: number;
      readonly bytes: number;
      readonly ofBytes: number | null;
    }
  /** The load reached the limit of packets, or of simulation steps. */
  | {
      readonly kind: 'work-limit';
      readonly what: 'packets' | 'steps';
      readonly limit: number;
      readonly bytes: number;
      readonly ofBytes: number | null;
    };

/** One line for people. */
export function failureText(failure: Failure): string {
  switch (failure.kind) {
    case 'status':
      return `status ${failure.status}`;
    case 'absent':
      return `status ${failure.status}, but the expected page has it`;
    case 'differs':
      return `it is not the expected page's: it differs from byte ${failure.atByte} on (expected ${failure.ofBytes} B)`;
    case 'unnamed':
      return 'nothing that came names it, but the expected page does';
    case 'too-large':
      return tooLargeText(failure);
    case 'malformed':
      return `malformed ${failure.what}`;
    case 'surplus':
      return `${failure.bytes} B more than its Content-Length`;
    case 'aborted':
      return `${truncated(failure)}${failure.reason}`;
    case 'time-limit':
      return `${truncated(failure)}not complete after ${failure.limitMs / 1000} s`;
    case 'work-limit':
      return `${truncated(failure)}not complete after ${workText(failure)}, the most that a load may take`;
  }
}

/**
 * Whether the page itself is broken, rather than this load of it: the page names the object, but its server does not
 * have it (404), or its address is too long for a GET, so that no client requests it. The object is then missing in
 * every pane.
 */
export function isMissing(failure: Failure | null): boolean {
  if (failure?.kind === 'status') return failure.status === 404;
  return failure?.kind === 'too-large' && failure.what === 'request';
}

/** Whether a value from a file is a failure or null: its kind is known, and every field has the right type. */
export function isFailureOrNull(value: unknown): value is Failure | null {
  if (value === null) return true;
  if (typeof value !== 'object') return false;
  const {kind, ...fields} = value as {readonly [key: string]: unknown};
  const types = typeof kind === 'string' && Object.hasOwn(FIELDS, kind) ? FIELDS[kind as Failure['kind']] : undefined;
  return types !== undefined && Object.entries(types).every(([field, type]) => has(fields[field], type));
}

function has(value: unknown, type: FieldType): boolean {
  if (type === 'number or null') return value === null || typeof value === 'number';
  return typeof type === 'string' ? typeof value === type : type.some(word => word === value);
}

type FieldType = 'number' | 'string' | 'number or null' | readonly string[];

const FIELDS: {readonly [K in Failure['kind']]: {readonly [field: string]: FieldType}} = {
  status: {status: 'number'},
  absent: {status: 'number'},
  differs: {atByte: 'number', ofBytes: 'number'},
  unnamed: {},
  'too-large': {what: ['request', 'header', 'message'], bytes: 'number or null', limitBytes: 'number'},
  malformed: {what: ['status line', 'Content-Length']},
  surplus: {bytes: 'number'},
  aborted: {reason: 'string', bytes: 'number', ofBytes: 'number or null'},
  'time-limit': {limitMs: 'number', bytes: 'number', ofBytes: 'number or null'},
  'work-limit': {what: ['packets', 'steps'], limit: 'number', bytes: 'number', ofBytes: 'number or null'},
};

function workText({what, limit}: Extract<Failure, {kind: 'work-limit'}>): string {
  return what === 'packets' ? `${limit} packets` : `${limit} steps of the simulation`;
}

function tooLargeText({what, bytes, limitBytes}: Extract<Failure, {kind: 'too-large'}>): string {
  return bytes === null ? `${what} larger than ${limitBytes} B` : `${what} of ${bytes} B (at most ${limitBytes} B)`;
}

function truncated({bytes, ofBytes}: {readonly bytes: number; readonly ofBytes: number | null}): string {
  return ofBytes === null ? '' : `truncated at ${bytes} of ${ofBytes} B: `;
}
