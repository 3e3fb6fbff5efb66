/**
 * How much of an object can be seen when only its first `bytes` bytes (a prefix) have arrived. `quality` is 0–1: for a
 * picture, the SSIM of the prefix and the whole picture; for HTML, the share of the text's area that is shown. Both
 * columns ascend. A prefix shorter than the first entry shows nothing, and the last entry is [all bytes, 1].
 */
export type QualityCurve = readonly (readonly [bytes: number, quality: number])[];

/**
 * Returns the quality after this number of bytes: the quality of the longest measured prefix that has at most this
 * number of bytes. Bytes between two entries show nothing new.
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
 * Version of the method that measures curves. Increase it if a change of the program changes the curves (goldens:
 * `renderer/run/quality/goldens`) or their format, so that cached curves of an older version are not used.
 */
export const MEASURING_VERSION = 4;
