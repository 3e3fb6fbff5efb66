import {layerEnds} from './avifLayers.ts';
import {jpegSegments, SOS} from './jpegSegments.ts';
import {passEnds} from './png.ts';

/**
 * Returns the byte offsets at which a picture's scans end, ascending. The last one is the length of the body. Like the
 * scans of a progressive JPEG (ITU-T T.81 §B.1.1.5), the passes of an interlaced PNG and the layers of a layered AVIF
 * count as scans. All other bodies have a single scan.
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

/**
 * The largest number of scans that are distinguished. libjpeg warns of pictures with 100 scans or more, and a hostile
 * body may have millions.
 */
const MOST_SCANS = 100;
