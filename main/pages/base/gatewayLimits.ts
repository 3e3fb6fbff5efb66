import {MOST_PIXELS} from '../../../app/page/imageSize.ts';

/**
 * Limits for one page that is fetched, or made of local files (HTML, HAR, a trace, MHTML, a zip or pictures). Objects
 * that exceed a limit are left out of the bundle, and `bundle.json` says why. If a scenario names a folder with an
 * `index.html`, no bundle is made. Such a page has the limit LARGEST_PAGE_BYTES (app/run/scenario/pageSource.ts)
 * instead.
 */
export interface GatewayLimits {
  /** Largest size of one object, after decompression. */
  readonly objectBytes: number;
  /** Largest size of all objects together. */
  readonly pageBytes: number;
  readonly objects: number;
  /** Largest number of pixels of one picture (width × height). A browser needs four bytes for each pixel. */
  readonly pixels: number;
  /** How many times one address may be redirected. */
  readonly redirects: number;
  /** How many levels deep style sheets may import other style sheets. */
  readonly importDepth: number;
  /** Longest time from an object's request to its last byte. */
  readonly objectMs: number;
  /** Longest time for the whole page. Objects that have not arrived by then are left out. */
  readonly pageMs: number;
  /**
   * Longest time for converting all pictures, one after the other. Pictures that are not converted by then are stored
   * as the server sent them. When the pictures are converted for a run instead, this is the longest time for each
   * picture.
   */
  readonly convertMs: number;
  /** How many objects are fetched at the same time. */
  readonly parallel: number;
  /**
   * Limit of the resident memory of the gateway's process, and of each process that converts pictures. In the gateway,
   * the largest page of the tests needs about half as much.
   */
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
  // Browsers open six connections to one host (HTTP/1.1). This limit applies to all hosts of a page together.
  parallel: 6,
  memoryBytes: 1_000_000_000,
};
