/** A page as the server has it. */
export interface Page {
  readonly name: string;
  /** The first is index.html; then what it names, in the order in which its HTML does. */
  readonly objects: readonly PageObject[];
  /** Each response's header, bytes; a header that needs more takes more. */
  readonly headerBytes: number;
  /** Each GET, bytes; likewise. */
  readonly requestBytes: number;
}

/** One resource of a page. */
export interface PageObject {
  /** Path and query as the client asks for it: `/img/lake.jpg`. */
  readonly url: string;
  readonly contentType: string;
  /** Null if the page names it but the server does not have it. */
  readonly body: Uint8Array | null;
}

/** Which page a run loaded, and what of it: kept with the run wherever that is saved. */
export interface PageStamp {
  /** SHA-256 of all that is loaded, in hexadecimal: pages of one hash give the same run. */
  readonly hash: string;
  /** What of the page is not loaded as it is in its folder; one line for people each. */
  readonly leftOut: readonly string[];
}

/** A page as it was at one moment. All panes of a run load the same. */
export interface PageSnapshot extends Page, PageStamp {}

/** How many of its objects are pictures, as far as that is known before they are looked at. */
export function pictureFiles({objects}: Page): number {
  return objects.filter(({contentType, body}) => body !== null && contentType.startsWith('image/')).length;
}

export function pageStamp({hash, leftOut}: PageStamp): PageStamp {
  return {hash, leftOut};
}

/** Where index.html is asked for. */
export const INDEX_URL = '/';

/** The header of each response in the papers' loads, bytes (our reference data). */
export const USUAL_HEADER_BYTES = 250;

/** A GET in the papers' loads, bytes (our reference data). */
export const USUAL_REQUEST_BYTES = 200;
