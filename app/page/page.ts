import type {Conversion, ConvertedPictures} from './conversion.ts';

/** A page as its server has it. */
export interface Page {
  readonly name: string;
  /** The first is index.html. The objects that it names follow, in the order of its HTML. */
  readonly objects: readonly PageObject[];
  /** Size in bytes to which each response's header is padded. A header that is longer by itself is sent as it is. */
  readonly headerBytes: number;
  /** Size in bytes to which each GET is padded. A GET that is longer by itself is sent as it is. */
  readonly requestBytes: number;
}

/** One resource of a page. */
export interface PageObject {
  /** Path and query, as the client requests it: `/img/lake.jpg`. */
  readonly url: string;
  readonly contentType: string;
  /** The content of the object. Null if the page names the object, but the server does not have it. */
  readonly body: Uint8Array | null;
  /** The object's address on the web, if the page was fetched from there. Absent if the address is not known. */
  readonly address?: string;
}

/** Identifies the page that a run loaded. It is saved with the run. */
export interface PageStamp {
  /** SHA-256 of everything that is loaded, in hexadecimal. Pages with equal hashes give equal runs. */
  readonly hash: string;
  /** One line for people for each part of the page's folder that is left out or changed. */
  readonly leftOut: readonly string[];
  /** The conversions that the page holds and that its hash covers. Absent if there are none. */
  readonly conversions?: readonly Conversion[];
}

/** A page as it was at one moment. All panes of a run load the same snapshot, each in its gateway's conversion. */
export interface PageSnapshot extends ConvertedPage, PageStamp {}

/** A page together with its converted pictures. */
export interface ConvertedPage extends Page {
  /**
   * The pictures of each conversion, in the order of {@link PageStamp.conversions}. Absent if there are no conversions.
   */
  readonly converted?: readonly ConvertedPictures[];
}

/** How many objects are pictures, judged by their media types. */
export function pictureFiles({objects}: Page): number {
  return objects.filter(({contentType, body}) => body !== null && contentType.startsWith('image/')).length;
}

export function pageStamp({hash, leftOut, conversions}: PageStamp): PageStamp {
  return {hash, leftOut, ...(conversions === undefined ? {} : {conversions})};
}

/**
 * The page as a pane loads it. Repeated calls return the same object. @throws RangeError if the snapshot lacks the
 * conversion. That is a bug: the code that opens a page must name the conversions it needs.
 */
export function pageAs(page: ConvertedPage, conversion: Conversion | undefined): Page {
  if (conversion === undefined) return page;
  const found = page.converted?.find(each => each.conversion === conversion);
  if (found === undefined) throw new RangeError(`the page ${page.name} is not there as ${conversion}`);
  const known = convertedPages.get(found);
  if (known !== undefined) return known;
  const {name, headerBytes, requestBytes} = page;
  const objects = page.objects.map((object, i) => {
    const {contentType, body} = found.objects[i] ?? object;
    return {...object, contentType, body};
  });
  const made = {name, objects, headerBytes, requestBytes};
  convertedPages.set(found, made);
  return made;
}

const convertedPages = new WeakMap<ConvertedPictures, Page>();

/** The URL of index.html. */
export const INDEX_URL = '/';

/** Header size of each response in the papers' loads, in bytes (our reference data). */
export const USUAL_HEADER_BYTES = 250;

/** Size of a GET in the papers' loads, in bytes (our reference data). */
export const USUAL_REQUEST_BYTES = 200;
