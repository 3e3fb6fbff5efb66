import {isFrameHeader, jpegSegments} from '../../../app/page/jpegSegments.ts';

/**
 * The chroma sampling that keeps all of a JPEG's colours, of the two that sharp offers: `4:2:0` only if the file has it
 * already. libvips itself reports 4:2:2 and some 4:4:4 as 4:2:0.
 */
export function jpegSampling(bytes: Uint8Array): '4:4:4' | '4:2:0' {
  for (const {marker, start, end} of jpegSegments(bytes)) {
    if (!isFrameHeader(marker)) continue;
    // ITU-T T.81 §B.2.2: the number of components, then three bytes for each
    const [components, ...each] = bytes.subarray(start + 5, end);
    // a grey picture has one component, and no colours to lose
    if (components !== 3) return '4:2:0';
    const [luma, ...chroma] = [each[1], each[4], each[7]];
    return luma === 0x22 && chroma.every(factors => factors === 0x11) ? '4:2:0' : '4:4:4';
  }
  return '4:4:4';
}
