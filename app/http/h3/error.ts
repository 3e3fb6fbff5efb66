/** Why a stream or the connection ends (RFC 9114 §8.1, RFC 9204 §6), as far as it does here. */
export const ERROR_CODE = {
  ...{H3_STREAM_CREATION_ERROR: 0x103, H3_CLOSED_CRITICAL_STREAM: 0x104, H3_FRAME_UNEXPECTED: 0x105},
  ...{H3_FRAME_ERROR: 0x106, H3_EXCESSIVE_LOAD: 0x107, H3_SETTINGS_ERROR: 0x109},
  ...{H3_MISSING_SETTINGS: 0x10a, H3_MESSAGE_ERROR: 0x10e, QPACK_DECOMPRESSION_FAILED: 0x200},
} as const;

export type ErrorName = keyof typeof ERROR_CODE;

/** The connection cannot go on (RFC 9114 §8). */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly code: ErrorName;

  constructor(code: ErrorName, message: string) {
    super(message);
    this.code = code;
  }
}
