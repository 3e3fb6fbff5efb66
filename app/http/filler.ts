/** A field as HTTP/1.1 writes it. Over HTTP/2 and HTTP/3 the name is in lower case. */
export type HeadField = readonly [name: string, value: string];

/** Returns the number of bytes of a field's line in HTTP/1.1. */
export function lineBytes([name, value]: HeadField): number {
  return name.length + value.length + ': \r\n'.length;
}

/**
 * Chooses fields in the order of their ranks. A field that does not fit into the rest of `roomBytes` is skipped.
 * Returns the chosen fields in the order of the list.
 */
export function fitting(fields: readonly RankedField[], roomBytes: number): readonly HeadField[] {
  let left = roomBytes;
  const chosen = new Set<RankedField>();
  for (const ranked of fields.toSorted((a, b) => a.rank - b.rank)) {
    const bytes = lineBytes(ranked.field);
    if (bytes > left) continue;
    left -= bytes;
    chosen.add(ranked);
  }
  return fields.filter(ranked => chosen.has(ranked)).map(({field}) => field);
}

export interface RankedField {
  readonly field: HeadField;
  /** The rank of importance. The field with the lowest rank is chosen first. */
  readonly rank: number;
}

/**
 * Returns a field whose line has exactly `bytes` bytes. `bytes` must be at least the size of a line with an empty
 * value. `value` must return a text of the given length.
 */
export function exactField(name: string, bytes: number, value: (length: number) => string): HeadField {
  return [name, value(bytes - lineBytes([name, '']))];
}

/**
 * Returns text that looks like an identifier. Equal keys give equal texts. Different keys usually give different texts.
 */
export function opaqueText(key: string, length: number): string {
  let state = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) state = Math.imul(state ^ key.charCodeAt(i), 0x01000193);
  let text = '';
  for (let i = 0; i < length; i++) {
    // A linear congruential generator. Its upper bits are the most random.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += ALPHABET[state >>> 26] ?? '';
  }
  return text;
}

/** The 64 characters of base64url (RFC 4648 §5), which identifiers in cookies usually have. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
