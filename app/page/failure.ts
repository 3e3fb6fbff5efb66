/**
 * The reason why an object failed. Sizes are in bytes. In a live load, the expected page is the page of the
 * scenario, which the server should send.
 */
export type Failure =
  /** The server answered with a status other than 200. */
  | {readonly kind: 'status'; readonly status: number}
  /** A live server answered with this status, which is 404, but the expected page contains the object. */
  | {readonly kind: 'absent'; readonly status: number}
  /**
   * A live server sent an object that differs from the expected page. `atByte` is the offset of the first difference,
   * and `ofBytes` is the size in the expected page.
   */
  | {readonly kind: 'differs'; readonly atByte: number; readonly ofBytes: number}
  /** The expected page contains the object, but no object that the live server sent names it. */
  | {readonly kind: 'unnamed'}
  /**
   * A request head, a response header or a message exceeds its limit. The limit of a message is the size of the largest
   * message that the transport accepts. `bytes` is null for a response header, because the parser need not wait for the
   * end of the header.
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
   * The connection or the stream ended early, for `reason`. `bytes` is the number of bytes of the body that had
   * arrived, and `ofBytes` the size of the body. `ofBytes` is null if the header had not arrived.
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
  /** The load reached the limit of packets or of simulation steps. */
  | {
      readonly kind: 'work-limit';
      readonly what: 'packets' | 'steps';
      readonly limit: number;
      readonly bytes: number;
      readonly ofBytes: number | null;
    };

/** Returns one line for the user. */
export function failureText(failure: Failure): string {
  switch (failure.kind) {
    case 'status':
      return `status ${failure.status}`;
    case 'absent':
      return `status ${failure.status}, but the expected page contains the object`;
    case 'differs':
      return `differs from the expected object, beginning at byte ${failure.atByte} (expected size: ${failure.ofBytes} B)`;
    case 'unnamed':
      return 'not named by any received object, but contained in the expected page';
    case 'too-large':
      return tooLargeText(failure);
    case 'malformed':
      return `malformed ${failure.what}`;
    case 'surplus':
      return `${failure.bytes} B more than Content-Length states`;
    case 'aborted':
      return `${truncated(failure)}${failure.reason}`;
    case 'time-limit':
      return `${truncated(failure)}not complete after ${failure.limitMs / 1000} s`;
    case 'work-limit':
      return `${truncated(failure)}not complete after ${workText(failure)}, which is the limit of a load`;
  }
}

/**
 * Returns whether the cause is in the page, so that the object is missing in every pane. Either the page names an
 * object that its server does not have (404), or the object's address is too long for a GET.
 */
export function isMissing(failure: Failure | null): boolean {
  if (failure?.kind === 'status') return failure.status === 404;
  return failure?.kind === 'too-large' && failure.what === 'request';
}

/** Returns whether a value from a file is null or a failure with a known kind and fields of the right types. */
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
