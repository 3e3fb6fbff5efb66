import {isFrameHeader, jpegSegments, SOS} from '../../../app/page/jpegSegments.ts';

/**
 * Estimates the quality of a JPEG on the scale of the Independent JPEG Group (IJG), from 1 to 100. The IJG scales the
 * standard luminance table to each quality. The estimate is the quality for which the sum of the scaled table is
 * closest to the sum of the table in the file. Returns undefined if the file has no readable luminance table.
 */
export function jpegQuality(bytes: Uint8Array): number | undefined {
  const table = luminanceTable(bytes);
  if (table === undefined) return undefined;
  const sum = table.reduce((all, step) => all + step, 0);
  const distance = (quality: number): number => Math.abs(stepsSum(quality) - sum);
  const qualities = Array.from({length: 100}, (_, i) => 100 - i);
  return qualities.reduce((best, each) => (distance(each) < distance(best) ? each : best));
}

/** Sum of the IJG's luminance table at a quality. As in a baseline file, each step is at most 255. */
function stepsSum(quality: number): number {
  const percent = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality;
  return STANDARD_STEPS.reduce((sum, step) => {
    return sum + Math.min(255, Math.max(1, Math.floor((step * percent + 50) / 100)));
  }, 0);
}

/** Finds quantisation table 0 (DQT, ITU-T T.81 §B.2.4.1) before the first scan. Returns undefined if there is none. */
function luminanceTable(bytes: Uint8Array): readonly number[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const {marker, start, end} of jpegSegments(bytes)) {
    if (marker === SOS) return undefined;
    for (let table = start; marker === DQT && table < end; ) {
      const entryBytes = (bytes[table] ?? 0) >> 4 === 0 ? 1 : 2;
      const entries = table + 1;
      if (entries + 64 * entryBytes > end) return undefined;
      if (((bytes[table] ?? 0) & 15) === 0) {
        return Array.from({length: 64}, (_, i) =>
          entryBytes === 1 ? view.getUint8(entries + i) : view.getUint16(entries + 2 * i),
        );
      }
      table = entries + 64 * entryBytes;
    }
  }
  return undefined;
}

const DQT = 0xdb;

/** Table K.1 of ITU-T T.81. */
// biome-ignore format: the table's rows
const STANDARD_STEPS: readonly number[] = [
  16, 11, 10, 16, 24, 40, 51, 61,
  12, 12, 14, 19, 26, 58, 60, 55,
  14, 13, 16, 24, 40, 57, 69, 56,
  14, 17, 22, 29, 51, 87, 80, 62,
  18, 22, 37, 56, 68, 109, 103, 77,
  24, 35, 55, 64, 81, 104, 113, 92,
  49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
];

/**
 * Chooses the chroma sampling for a new picture, so that the picture keeps all colours of a JPEG. sharp offers two
 * samplings. For a JPEG with three components the result is `4:2:0` only if the JPEG itself has that sampling. libvips
 * is not asked, because it reports 4:2:0 for 4:2:2 and for some 4:4:4 files.
 */
export function jpegSampling(bytes: Uint8Array): '4:4:4' | '4:2:0' {
  for (const {marker, start, end} of jpegSegments(bytes)) {
    if (!isFrameHeader(marker)) continue;
    // ITU-T T.81 §B.2.2: the number of components, then three bytes for each
    const [components, ...each] = bytes.subarray(start + 5, end);
    // A picture with one component is grey, so no colours can be lost. Pictures with four components (CMYK) are not
    // converted.
    if (components !== 3) return '4:2:0';
    const [luma, ...chroma] = [each[1], each[4], each[7]];
    return luma === 0x22 && chroma.every(factors => factors === 0x11) ? '4:2:0' : '4:4:4';
  }
  return '4:4:4';
}
