/**
 * How much of an object its prefixes show. `bytes` is the length of a prefix. `quality` is 0–1: for a picture, the SSIM
 * of the prefix and the whole picture; for HTML, the share of the text's area. Both columns ascend. A prefix shorter
 * than the first entry shows nothing, and the last entry is [all bytes, 1].
 */
export type QualityCurve = readonly (readonly [bytes: number, quality: number])[];

/**
 * Returns the quality after this number of bytes: that of the largest measured prefix which is not longer. Bytes
 * between two entries show nothing new.
 */
export function qualityAt(curve: QualityCurve, bytes: number): number {
  let [low, high] = [0, curve.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((curve[middle]?.[0] ?? 0) <= bytes) low = middle + 1;
    else high = middle;
  }
  return curve[low - 1]?.[1] ?? 0;
}

/**
 * Version of how curves are measured. Raise it with each change of the curves (goldens: `renderer/run/quality/goldens`)
 * or of their format, so that cached curves of an older version are not used.
 */
export const MEASURING_VERSION = 4;
