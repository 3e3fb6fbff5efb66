import {MOST_PIXELS} from '../../../app/page/imageSize.ts';

/** What the gateway takes of one page; beyond it, something is left out and said. */
export interface GatewayLimits {
  /** Of one object, as it is after decompression. */
  readonly objectBytes: number;
  /** Of all objects. */
  readonly pageBytes: number;
  readonly objects: number;
  /** Of one picture, width · height: what a browser holds of it is four bytes each. */
  readonly pixels: number;
  /** Of one address. */
  readonly redirects: number;
  /** Sheets that import sheets. */
  readonly importDepth: number;
  /** From an object's request to its last byte. */
  readonly objectMs: number;
  /** Of the whole page; what has not come then is left out. */
  readonly pageMs: number;
  /** Of all pictures' conversions, one after the other; what is not done then stays as it was served. */
  readonly convertMs: number;
  /** Objects that are on their way at once. */
  readonly parallel: number;
  /** Of the gateway's process, resident; the worst of the tests' pages takes about half. */
  readonly memoryBytes: number;
}

export const GATEWAY_LIMITS: GatewayLimits = {
  objectBytes: 20_000_000,
  pageBytes: 50_000_000,
  objects: 1000,
  pixels: MOST_PIXELS,
  redirects: 10,
  importDepth: 8,
  objectMs: 20_000,
  pageMs: 60_000,
  convertMs: 60_000,
  // as browsers: six to a host
  parallel: 6,
  memoryBytes: 1_000_000_000,
};
