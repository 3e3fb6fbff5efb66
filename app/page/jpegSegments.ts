/** A marker segment of a JPEG (ITU-T T.81 §B.1.1.4). Places are bytes of its file. */
export interface JpegSegment {
  /** The marker's second byte. */
  readonly marker: number;
  /** Where its parameters begin, behind their length, and end; cut short, they end with the file. */
  readonly start: number;
  readonly end: number;
  /** Of a scan's header where the scan ends (§B.1.1.5); of others as `end`. */
  readonly scanEnd: number;
}

/** The segments that have parameters, in order, as far as they can be read; none of what is no JPEG. */
export function* jpegSegments(body: Uint8Array): Generator<JpegSegment> {
  if (body[0] !== 0xff || body[1] !== 0xd8) return;
  let at = 2;
  while (at + 4 <= body.length && body[at] === 0xff) {
    const marker = body[at + 1] ?? 0;
    // fill bytes (§B.1.1.2) and markers that stand alone
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

/** A scan's header. */
export const SOS = 0xda;

/** A frame's header (§B.2.2): SOF0 to SOF15, but for DHT, JPG and DAC, which stand among them. */
export function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** Behind entropy-coded data from `at` on: in it 0xFF is followed by 0, or is a restart marker (§F.1.2.3). */
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
