import {isFrameHeader, jpegSegments} from '../../../app/page/jpegSegments.ts';

/**
 * How a JPEG's colours are to be sampled so that none are lost, of the two ways that sharp has: `4:2:0` only where they
 * have half of the pixels already, both ways. libvips tells 4:2:2 and some 4:4:4 as 4:2:0, too.
 */
export function jpegSampling(bytes: Uint8Array): '4:4:4' | '4:2:0' {
  for (const {marker, start, end} of jpegSegments(bytes)) {
    if (!isFrameHeader(marker)) continue;
    // ITU-T T.81 §B.2.2: the number of components, then three bytes of each
    const [components, ...each] = bytes.subarray(start + 5, end);
    // grey has one, and no colours to lose
    if (components !== 3) return '4:2:0';
    const [luma, ...chroma] = [each[1], each[4], each[7]];
    return luma === 0x22 && chroma.every(factors => factors === 0x11) ? '4:2:0' : '4:4:4';
  }
  return '4:4:4';
}
