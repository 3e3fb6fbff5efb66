/**
 * Thrown if the peer breaks QPACK's rules. The error ends the connection (RFC 9204 §6). The code names what was broken:
 * a field section, the instructions of the peer's encoder, or those of its decoder.
 */
export class QpackError extends Error {
  override readonly name = 'QpackError';
  readonly code: QpackErrorCode;

  constructor(code: QpackErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export type QpackErrorCode = 'QPACK_DECOMPRESSION_FAILED' | 'QPACK_ENCODER_STREAM_ERROR' | 'QPACK_DECODER_STREAM_ERROR';
