/** A range of bytes in a page's HTML. `end` is exclusive. */
export interface HtmlRange {
  readonly first: number;
  readonly end: number;
}

/** Joins adjacent ranges. The ranges must be in order. */
export function joinedRanges(ranges: readonly HtmlRange[]): readonly HtmlRange[] {
  const all: {first: number; end: number}[] = [];
  for (const {first, end} of ranges) {
    const last = all.at(-1);
    if (last?.end === first) last.end = end;
    else all.push({first, end});
  }
  return all;
}

/**
 * Returns a decoder that produces one character per byte, so that offsets in the text are byte offsets. Tags are
 * decoded correctly, because their characters are ASCII. Other text may be wrong.
 */
export function newByteDecoder(): {decode(bytes: Uint8Array): string} {
  return new TextDecoder('windows-1252');
}

// Browsers and Node have TextDecoder (WHATWG Encoding), but app/ is compiled without the types of either.
declare const TextDecoder: new (label: string) => {decode(bytes: Uint8Array): string};
