/** How a gateway converts a page's pictures (N07 §6). */
export type Conversion = (typeof CONVERSIONS)[number];

export const CONVERSIONS = ['progressive', 'webp', 'avif'] as const;

/** The result of one conversion of a page's pictures. */
export interface ConvertedPictures {
  readonly conversion: Conversion;
  /** One entry for each object of the page. It is null for an object that is served unchanged. */
  readonly objects: readonly (ConvertedPicture | null)[];
}

/** A picture that a gateway converted. Its number and URL are unchanged. */
export interface ConvertedPicture {
  readonly contentType: string;
  readonly body: Uint8Array;
  /**
   * The time that the conversion took, in ms. It is only shown to users. No run depends on it, and page times do not
   * include it.
   */
  readonly tookMs: number;
}
