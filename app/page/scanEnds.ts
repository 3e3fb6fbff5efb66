import {layerEnds} from './avifLayers.ts';
import {jpegSegments, SOS} from './jpegSegments.ts';
import {passEnds} from './passEnds.ts';

/**
 * Where the scans of a picture end, bytes, rising; the last is the whole body. Those of a JPEG's frame (ITU-T T.81
 * §B.1.1.5): several in a progressive one; the passes of an interlaced PNG; the layers of a layered AVIF. One for all
 * else.
 */
export function scanEnds(body: Uint8Array): readonly number[] {
  const [isJpeg, isPng] = [body[0] === 0xff && body[1] === 0xd8, body[0] === 0x89];
  const ends = isJpeg ? jpegScanEnds(body) : isPng ? passEnds(body) : layerEnds(body);
  return [...ends.slice(0, -1), body.length];
}

function jpegScanEnds(body: Uint8Array): readonly number[] {
  const ends: number[] = [];
  for (const {marker, scanEnd} of jpegSegments(body)) {
    if (marker === SOS) ends.push(scanEnd);
    if (ends.length === MOST_SCANS) break;
  }
  return ends;
}

/** libjpeg warns from 100 on; a body may name millions. */
const MOST_SCANS = 100;
