/** Reasons why a stream or connection ends (RFC 9114 §8.1, RFC 9204 §6), as far as they occur here. */
export type ErrorName =
  | 'H3_STREAM_CREATION_ERROR'
  | 'H3_CLOSED_CRITICAL_STREAM'
  | 'H3_FRAME_UNEXPECTED'
  | 'H3_FRAME_ERROR'
  | 'H3_EXCESSIVE_LOAD'
  | 'H3_SETTINGS_ERROR'
  | 'H3_MISSING_SETTINGS'
  | 'H3_MESSAGE_ERROR'
  | 'QPACK_DECOMPRESSION_FAILED';

/** An error that ends the connection (RFC 9114 §8). */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly code: ErrorName;

  constructor(code: ErrorName, message: string) {
    super(message);
    this.code = code;
  }
}
