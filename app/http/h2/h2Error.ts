/** Reasons why a stream or connection ends (RFC 9113 §7). */
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

/** An error that ends the connection (RFC 9113 §5.4.1). */
export class H2ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** An error that ends one stream (RFC 9113 §5.4.2). */
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

/** Returns the error code of a number in a frame. Unknown numbers are treated as INTERNAL_ERROR (RFC 9113 §7). */
export function errorCode(number: number): ErrorCode {
  return ERROR_CODES[number] ?? 'INTERNAL_ERROR';
}
