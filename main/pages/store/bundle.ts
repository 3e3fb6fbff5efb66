import {type BundleSource, LONGEST_PAGE_NAME} from '../../../app/run/scenario/pageSource.ts';

/** A page as the gateway found it: the files of a folder, and a document that describes them. */
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
  /** The address that was asked for. Its final address, after redirects, stands with the object. */
  readonly address: string;
  /** ISO 8601, in UTC. */
  readonly date: string;
  readonly objects: readonly BundleObject[];
  readonly leftOut: readonly LeftOut[];
  /** What is known of the page but not loaded, for example `3 scripts`. */
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
  /** How the file was converted. Absent if it is as it was served. */
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

/** How a scenario names a stored bundle. A bundle without an address is called by its hash. */
export function bundleSource(bundle: string, {address}: Pick<BundleDocument, 'address'>): BundleSource {
  return {bundle, name: address.slice(0, LONGEST_PAGE_NAME) || bundle};
}
