/** Why a stream or a connection ends (RFC 9113 §7). */
export const ERROR_CODES = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** The connection cannot go on (RFC 9113 §5.4.1). */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** One stream cannot go on (RFC 9113 §5.4.2). */
export class StreamError extends Error {
  override readonly name = 'StreamError';
  readonly stream: number;
  readonly code: ErrorCode;

  constructor(stream: number, code: ErrorCode, message: string) {
    super(message);
    this.stream = stream;
    this.code = code;
  }
}

/** Of a number on the wire; an unknown one is as INTERNAL_ERROR (RFC 9113 §7). */
export function errorCode(number: number): ErrorCode {
  return ERROR_CODES[number] ?? 'INTERNAL_ERROR';
}
