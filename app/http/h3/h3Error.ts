import type {QpackErrorCode} from '../qpack/qpackError.ts';

/** The reasons for which our code ends a stream or connection (RFC 9114 §8.1, RFC 9204 §6). */
export type ErrorName =
  | 'H3_STREAM_CREATION_ERROR'
  | 'H3_CLOSED_CRITICAL_STREAM'
  | 'H3_FRAME_UNEXPECTED'
  | 'H3_FRAME_ERROR'
  | 'H3_EXCESSIVE_LOAD'
  | 'H3_SETTINGS_ERROR'
  | 'H3_MISSING_SETTINGS'
  | 'H3_ID_ERROR'
  | 'H3_MESSAGE_ERROR'
  | QpackErrorCode;

/** An error that ends the connection (RFC 9114 §8). */
export class H3ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly code: ErrorName;

  constructor(code: ErrorName, message: string) {
    super(message);
    this.code = code;
  }
}

export function unexpected(type: number): H3ConnectionError {
  return new H3ConnectionError('H3_FRAME_UNEXPECTED', `frame ${type} is not allowed here`);
}
