/** A marker segment of a JPEG (ITU-T T.81 §B.1.1.4). `start`, `end` and `scanEnd` are byte offsets in the file. */
export interface JpegSegment {
  /** The marker's second byte. */
  readonly marker: number;
  /**
   * The range of the segment's parameters, without their length field. If the file is truncated, the range ends with
   * the file.
   */
  readonly start: number;
  readonly end: number;
  /** For a scan header: the end of the scan (§B.1.1.5). For other segments: the same as `end`. */
  readonly scanEnd: number;
}

/**
 * Yields the segments that have parameters, in order, up to the end of the image (EOI) or the first segment that cannot
 * be read. Yields nothing if the file is not a JPEG.
 */
export function* jpegSegments(body: Uint8Array): Generator<JpegSegment> {
  if (body[0] !== 0xff || body[1] !== 0xd8) return;
  let at = 2;
  while (at + 4 <= body.length && body[at] === 0xff) {
    const marker = body[at + 1] ?? 0;
    // Fill bytes (§B.1.1.2) and markers without parameters are skipped.
    if (marker === 0xff) at += 1;
    else if (marker === TEM || isRestart(marker)) at += 2;
    else if (marker === EOI || marker === 0) return;
    else {
      const length = Math.max(2, (body[at + 2] ?? 0) * 256 + (body[at + 3] ?? 0));
      const end = Math.min(at + 2 + length, body.length);
      const scanEnd = marker === SOS ? entropyEnd(body, end) : end;
      yield {marker, start: at + 4, end, scanEnd};
      at = scanEnd;
    }
  }
}

/** Marker of a scan header. */
export const SOS = 0xda;

/**
 * Returns whether a marker begins a frame header (§B.2.2). These are SOF0 to SOF15. DHT, JPG and DAC are in the same
 * range but begin other segments.
 */
export function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/**
 * Returns the end of the entropy-coded data that begin at `at`. Within these data, 0xFF is followed by 0 or is part of
 * a restart marker (§F.1.2.3).
 */
function entropyEnd(body: Uint8Array, at: number): number {
  for (let end = at; end + 1 < body.length; end++) {
    const next = body[end + 1] ?? 0;
    if (body[end] === 0xff && next !== 0 && next !== 0xff && !isRestart(next)) return end;
  }
  return body.length;
}

function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7;
}

const TEM = 0x01;
const EOI = 0xd9;
