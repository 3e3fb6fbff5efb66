import type {Conversion, ConvertedPictures} from './conversion.ts';
import {HTML_LIMITS} from './htmlReader.ts';
import type {Layout} from './layouts.ts';
import type {Recording} from './recording.ts';

/** A page with all objects that its HTML and its style sheets name. */
export interface Page {
  readonly name: string;
  /**
   * The first object is index.html. The objects that its HTML names follow in the order of the HTML, then the objects
   * that style sheets name, and then those that only preload links name or that only scripts requested.
   */
  readonly objects: readonly PageObject[];
  /**
   * Size in bytes to which each response's header is padded. A header that is longer without padding is sent unpadded.
   */
  readonly headerBytes: number;
  /** Size in bytes to which each GET is padded. A GET that is longer without padding is sent unpadded. */
  readonly requestBytes: number;
  /** How a browser loaded the page, with its scripts running. Absent if no browser has recorded the page. */
  readonly recording?: Recording;
  /** Where a browser places the pictures. If it is absent or lacks a picture, the place is estimated from the tags. */
  readonly layout?: Layout;
}

/** One resource of a page. */
export interface PageObject {
  /** The path and query that the client requests: `/img/lake.jpg`. */
  readonly url: string;
  readonly contentType: string;
  /** The content of the object. It is null if the server does not have the object, although the page names it. */
  readonly body: Uint8Array | null;
  /**
   * The object's address on the web. It is absent if the page was not fetched from the web, or if the address is not
   * known.
   */
  readonly address?: string;
}

/** The largest number of objects that only the recording of a page names. Neither its HTML nor a style sheet does. */
export const MOST_RECORDED = HTML_LIMITS.objects;

/** The largest number of objects of a page, including index.html. */
export const MOST_OBJECTS = HTML_LIMITS.objects + MOST_RECORDED;

/** Identifies the page that a run loaded. It is saved with the run. */
export interface PageStamp {
  /** SHA-256 of everything that is loaded, in hexadecimal. Pages with equal hashes give equal runs of a scenario. */
  readonly hash: string;
  /** A line for users for each part of the page's folder that is left out or changed. */
  readonly leftOut: readonly string[];
  /**
   * The conversions whose pictures the page contains. The hash covers these pictures. The list is absent if there are
   * none.
   */
  readonly conversions?: readonly Conversion[];
}

/** A page whose contents do not change. All panes of a run load the same snapshot, each with its own conversion. */
export interface PageSnapshot extends ConvertedPage, PageStamp {}

/** A page together with its converted pictures. */
export interface ConvertedPage extends Page {
  /**
   * The pictures of each conversion, in the order of {@link PageStamp.conversions}. The list is absent if there are no
   * conversions.
   */
  readonly converted?: readonly ConvertedPictures[];
}

/** Returns the number of objects that the server has and that are pictures according to their media types. */
export function pictureFiles({objects}: Page): number {
  return objects.filter(({contentType, body}) => body !== null && contentType.startsWith('image/')).length;
}

export function pageStamp({hash, leftOut, conversions}: PageStamp): PageStamp {
  return {hash, leftOut, ...(conversions === undefined ? {} : {conversions})};
}

/**
 * Returns the page with the pictures of a conversion, or the page itself if there is no conversion. Repeated calls
 * return the same object. @throws RangeError if the page lacks the conversion, which is a bug: the code that opens a
 * page must name the conversions that it needs
 */
export function pageAs(page: ConvertedPage, conversion: Conversion | undefined): Page {
  if (conversion === undefined) return page;
  const found = page.converted?.find(each => each.conversion === conversion);
  if (found === undefined) throw new RangeError(`the page ${page.name} was opened without its ${conversion} pictures`);
  const before = convertedPages.get(found);
  if (before !== undefined) return before;
  const {name, headerBytes, requestBytes, recording, layout} = page;
  const objects = page.objects.map((object, i) => {
    const {contentType, body} = found.objects[i] ?? object;
    return {...object, contentType, body};
  });
  const known = {...(recording !== undefined && {recording}), ...(layout !== undefined && {layout})};
  const made = {name, objects, headerBytes, requestBytes, ...known};
  convertedPages.set(found, made);
  return made;
}

const convertedPages = new WeakMap<ConvertedPictures, Page>();

/** The URL of index.html. */
export const INDEX_URL = '/';

/** Header size of each response in our reference loads, in bytes (`fixtures/reference/README.md`). */
export const USUAL_HEADER_BYTES = 250;

/** Size of a GET in our reference loads, in bytes (`fixtures/reference/README.md`). */
export const USUAL_REQUEST_BYTES = 200;
