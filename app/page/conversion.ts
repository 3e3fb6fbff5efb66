/** What a gateway on the way makes of a page's pictures (N07 §6). */
export type Conversion = (typeof CONVERSIONS)[number];

export const CONVERSIONS = ['progressive', 'webp', 'avif'] as const;

/** What a conversion makes of a page. */
export interface ConvertedPictures {
  readonly conversion: Conversion;
  /** By the page's objects; null for what stays as it is served. */
  readonly objects: readonly (ConvertedPicture | null)[];
}

/** A picture that a gateway converted; it has the number and the URL that it had. */
export interface ConvertedPicture {
  readonly contentType: string;
  readonly body: Uint8Array;
  /** What that took, where it was done once: for people; no run depends on it, and no page time has it. */
  readonly tookMs: number;
}
