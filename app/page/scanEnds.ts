import {passEnds} from './passEnds.ts';

/**
 * Where the scans of a picture end, bytes, rising; the last is the whole body. Those of a JPEG's frame (ITU-T T.81
 * §B.1.1.5): several in a progressive one; and the passes of an interlaced PNG. One for all else.
 */
export function scanEnds(body: Uint8Array): readonly number[] {
  const isJpeg = body[0] === 0xff && body[1] === 0xd8;
  const ends = isJpeg ? jpegScanEnds(body) : passEnds(body);
  return [...ends.slice(0, -1), body.length];
}

function jpegScanEnds(body: Uint8Array): readonly number[] {
  const ends: number[] = [];
  let at = 2;
  while (at + 4 <= body.length && ends.length < MOST_SCANS) {
    if (body[at] !== 0xff) return ends;
    const marker = body[at + 1] ?? 0;
    // fill bytes (§B.1.1.2) and markers that stand alone
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= RST0 && marker <= RST7)) at += 2;
    else if (marker === EOI) return ends;
    else {
      at += 2 + (body[at + 2] ?? 0) * 256 + (body[at + 3] ?? 0);
      if (marker !== SOS) continue;
      at = entropyEnd(body, at);
      ends.push(at);
    }
  }
  return ends;
}

/** Behind entropy-coded data from `at` on: in it 0xFF is followed by 0, or is a restart marker (§F.1.2.3). */
function entropyEnd(body: Uint8Array, at: number): number {
  for (let end = at; end + 1 < body.length; end++) {
    const next = body[end + 1] ?? 0;
    if (body[end] === 0xff && next !== 0 && next !== 0xff && !(next >= RST0 && next <= RST7)) return end;
  }
  return body.length;
}

const RST0 = 0xd0;
const RST7 = 0xd7;
const EOI = 0xd9;
const SOS = 0xda;

/** libjpeg warns from 100 on; a body may name millions. */
const MOST_SCANS = 100;
