import type {Conversion, ConvertedPictures} from './conversion.ts';

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
  /** Where it was on the web, as of a page that was fetched; absent if that is not known. */
  readonly address?: string;
}

/** Which page a run loaded, and what of it: kept with the run wherever that is saved. */
export interface PageStamp {
  /** SHA-256 of all that is loaded, in hexadecimal: pages of one hash give the same run. */
  readonly hash: string;
  /** What of the page is not loaded as it is in its folder; one line for people each. */
  readonly leftOut: readonly string[];
  /** What of it is there converted, too, and hashed with it; absent if nothing is. */
  readonly conversions?: readonly Conversion[];
}

/** A page as it was at one moment. All panes of a run load the same, each as its gateway hands it on. */
export interface PageSnapshot extends ConvertedPage, PageStamp {}

/** A page, and what gateways make of it. */
export interface ConvertedPage extends Page {
  /** In the order of {@link PageStamp.conversions}; absent if nothing of it is there converted. */
  readonly converted?: readonly ConvertedPictures[];
}

/** How many of its objects are pictures, as far as that is known before they are looked at. */
export function pictureFiles({objects}: Page): number {
  return objects.filter(({contentType, body}) => body !== null && contentType.startsWith('image/')).length;
}

export function pageStamp({hash, leftOut, conversions}: PageStamp): PageStamp {
  return {hash, leftOut, ...(conversions === undefined ? {} : {conversions})};
}

/**
 * The page as a pane loads it: the same each time. @throws RangeError if the snapshot has no such conversion, which is
 * a bug: who opens a page says what is wanted of it.
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

/** Where index.html is asked for. */
export const INDEX_URL = '/';

/** The header of each response in the papers' loads, bytes (our reference data). */
export const USUAL_HEADER_BYTES = 250;

/** A GET in the papers' loads, bytes (our reference data). */
export const USUAL_REQUEST_BYTES = 200;
