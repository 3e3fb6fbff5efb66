import type {KeptPage} from '../../../app/host/contract.ts';
import {type BundleSource, LONGEST_PAGE_NAME} from '../../../app/run/scenario/pageSource.ts';

/** A stored copy of a page: its files, edited so that they refer to each other, and a document that describes them. */
export interface Bundle {
  /** `index.html` comes first, then the others in the order in which they were found. */
  readonly files: readonly BundleFile[];
  readonly document: BundleDocument;
}

export interface BundleFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The content of `bundle.json`. */
export interface BundleDocument {
  /**
   * The address that was requested, or the name of the opened files. The first object has the final address, after
   * redirects.
   */
  readonly address: string;
  /** The time at which the page was fetched or opened, as ISO 8601 in UTC. */
  readonly date: string;
  readonly objects: readonly BundleObject[];
  readonly leftOut: readonly LeftOut[];
  /**
   * What the bundle lacks: counts of elements that are not loaded, for example `3 scripts`. There may also be a line
   * about addresses in a HAR file that the page does not name, or about contents that a browser's trace does not have.
   */
  readonly notLoaded: readonly string[];
}

export interface BundleObject {
  readonly address: string;
  readonly file: string;
  readonly type: string;
  /** Size of the file in the folder. */
  readonly bytes: number;
  /** SHA-256 of the file in the folder, in hexadecimal. */
  readonly sha256: string;
  /** How a picture was converted. Absent for every object that was not converted. */
  readonly converted?: Conversion;
}

export interface Conversion {
  readonly from: string;
  readonly fromBytes: number;
  readonly ms: number;
}

export interface LeftOut {
  readonly address: string;
  readonly why: string;
}

/** The file of a bundle that says how a browser loaded the page. It names objects by their files. */
export const RECORDING = 'files/recording.json';

/** Whether the bundle has a recording of how a browser loaded the page. */
export function isRecorded({objects}: Pick<BundleDocument, 'objects'>): boolean {
  return objects.some(({file}) => file === RECORDING);
}

/** Returns the source by which scenarios name a stored bundle. A bundle without an address has its hash as its name. */
export function bundleSource(bundle: string, {address}: Pick<BundleDocument, 'address'>): BundleSource {
  return {bundle, name: address.slice(0, LONGEST_PAGE_NAME) || bundle};
}

/** What a window is told about a stored bundle: the page, and whether it is recorded. */
export function openedPage(bundle: string, document: BundleDocument): Pick<KeptPage, 'page' | 'isRecorded'> {
  return {page: bundleSource(bundle, document), ...(isRecorded(document) && {isRecorded: true})};
}
