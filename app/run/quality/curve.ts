/**
 * What is to be seen of an object's first `bytes` bytes, 0–1: SSIM against the whole for pictures, share of the text's
 * area for HTML. Both rise; below the first entry nothing is to be seen, and the last is [all bytes, 1].
 */
export type QualityCurve = readonly (readonly [bytes: number, quality: number])[];

/** That of the largest measured prefix ≤ bytes; what is between two of them adds nothing to see. */
export function qualityAt(curve: QualityCurve, bytes: number): number {
  let [low, high] = [0, curve.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((curve[middle]?.[0] ?? 0) <= bytes) low = middle + 1;
    else high = middle;
  }
  return curve[low - 1]?.[1] ?? 0;
}
