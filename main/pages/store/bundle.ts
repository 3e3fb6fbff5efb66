/** A page as the gateway found it: a folder's files, and what it says of them. */
export interface Bundle {
  /** `index.html` first, then in the order in which they were found. */
  readonly files: readonly BundleFile[];
  readonly document: BundleDocument;
}

export interface BundleFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** `bundle.json`. */
export interface BundleDocument {
  /** As it was asked for; where it was in the end stands with its object. */
  readonly address: string;
  /** ISO 8601, UTC. */
  readonly date: string;
  readonly objects: readonly BundleObject[];
  readonly leftOut: readonly LeftOut[];
  /** What is known of the page and not loaded: `3 scripts`. */
  readonly notLoaded: readonly string[];
}

export interface BundleObject {
  readonly address: string;
  readonly file: string;
  readonly type: string;
  /** As it stands in the folder. */
  readonly bytes: number;
  /** SHA-256 of that, in hexadecimal. */
  readonly sha256: string;
  /** What conversion made of it; absent where it is as it was served. */
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
