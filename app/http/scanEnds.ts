import {scanEnds} from '../page/scanEnds.ts';

/** Where a body's scans end, bytes; looked for once a body, as most loads of it differ in the seed alone. */
export function knownScanEnds(body: Uint8Array): readonly number[] {
  const known = endsOf.get(body);
  if (known !== undefined) return known;
  const ends = scanEnds(body);
  endsOf.set(body, ends);
  return ends;
}

const endsOf = new WeakMap<Uint8Array, readonly number[]>();
