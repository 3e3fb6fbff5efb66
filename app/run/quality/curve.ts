/**
 * How much of an object its first `bytes` bytes show, 0–1: SSIM against the whole for pictures, share of the text's
 * area for HTML. Both columns ascend. Below the first entry nothing can be seen, and the last entry is [all bytes, 1].
 */
export type QualityCurve = readonly (readonly [bytes: number, quality: number])[];

/** The quality of the largest measured prefix ≤ bytes. Bytes between two entries show nothing new. */
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
