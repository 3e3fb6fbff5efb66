/** Bytes of a page's HTML, from `first` to before `end`. */
export interface HtmlRange {
  readonly first: number;
  readonly end: number;
}

/** In order; what follows on what is before it is one with it. */
export function joinedRanges(ranges: readonly HtmlRange[]): readonly HtmlRange[] {
  const all: {first: number; end: number}[] = [];
  for (const {first, end} of ranges) {
    const last = all.at(-1);
    if (last?.end === first) last.end = end;
    else all.push({first, end});
  }
  return all;
}

/** One character a byte: a tag's place is the same in both, and all that makes tags is ASCII. */
export function newByteDecoder(): {decode(bytes: Uint8Array): string} {
  return new TextDecoder('windows-1252');
}

// WHATWG Encoding, in every host; app/ is compiled without any host's types.
declare const TextDecoder: new (label: string) => {decode(bytes: Uint8Array): string};
