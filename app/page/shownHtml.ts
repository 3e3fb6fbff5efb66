import type {Page} from './page.ts';

// Browsers and Node have TextEncoder (WHATWG Encoding), but app/ is compiled without the types of either.
declare const TextEncoder: new () => {encode(text: string): Uint8Array};

/** The HTML that panes show: the HTML of the page, and everything that its scripts inserted, at its place. */
export interface ShownHtml {
  readonly bytes: Uint8Array;
  /** The inserted parts of `bytes`, in order. Empty for a page that no browser has recorded. */
  readonly parts: readonly InsertedPart[];
}

export interface InsertedPart {
  /** The first byte, and the byte after the last one, in the shown HTML. */
  readonly first: number;
  readonly end: number;
  /** The index of the insertion in the recording. */
  readonly insertion: number;
}

/** The bytes from `first` up to `end`, without `end`. */
interface Range {
  readonly first: number;
  readonly end: number;
}

/** Returns the HTML that panes show. Repeated calls for a page return the same object. */
export function shownHtml(page: Page): ShownHtml {
  const known = shown.get(page);
  if (known !== undefined) return known;
  const made = makeShown(page);
  shown.set(page, made);
  return made;
}

/**
 * Returns the ranges of the shown HTML that can be seen when the ranges `arrived` of the page's own HTML have arrived.
 * The result contains an inserted part if `isThere` returns true for it and the byte of HTML directly before its place
 * has arrived. For a part that stands before all HTML, this is the first byte of the HTML.
 */
export function seenRanges(
  {bytes, parts}: ShownHtml,
  arrived: readonly Range[],
  isThere: (part: InsertedPart) => boolean,
): readonly Range[] {
  if (parts.length === 0) return arrived;
  const ranges: {first: number; end: number}[] = [];
  const add = (first: number, end: number): void => {
    const last = ranges.at(-1);
    if (end <= first) return;
    if (last?.end === first) last.end = end;
    else ranges.push({first, end});
  };
  // pieces of the page's own HTML stand between the parts; `own` counts the bytes of these pieces
  let [at, own] = [0, 0];
  for (const part of [...parts, undefined]) {
    const until = part?.first ?? bytes.length;
    for (const {first, end} of arrived) {
      add(at + Math.max(first - own, 0), Math.min(at + end - own, until));
    }
    own += until - at;
    if (part === undefined) return ranges;
    const before = Math.max(own - 1, 0);
    if (arrived.some(({first, end}) => first <= before && before < end) && isThere(part)) add(part.first, part.end);
    at = part.end;
  }
  return ranges;
}

/**
 * How many bytes of the shown HTML there are when the first `own` bytes of the page's own HTML have arrived, and its
 * scripts have inserted everything that stands before the end of these bytes.
 */
export function shownBytes(shown: ShownHtml, own: number): number {
  return seenRanges(shown, [{first: 0, end: own}], () => true).at(-1)?.end ?? 0;
}

function makeShown({objects, recording}: Page): ShownHtml {
  const html = objects[0]?.body ?? new Uint8Array();
  const insertions = [...(recording?.insertions ?? []).entries()]
    .map(([insertion, {at, html: text}]) => ({insertion, at, text}))
    .filter(({at}) => at <= html.length)
    .sort((a, b) => a.at - b.at);
  if (insertions.length === 0) return {bytes: html, parts: []};
  const texts = insertions.map(({text}) => new TextEncoder().encode(text));
  const bytes = new Uint8Array(texts.reduce((sum, {length}) => sum + length, html.length));
  const parts: InsertedPart[] = [];
  let [to, from] = [0, 0];
  for (const [i, {insertion, at}] of insertions.entries()) {
    const inserted = texts[i] ?? new Uint8Array();
    bytes.set(html.subarray(from, at), to);
    to += at - from;
    from = at;
    bytes.set(inserted, to);
    parts.push({first: to, end: to + inserted.length, insertion});
    to += inserted.length;
  }
  bytes.set(html.subarray(from), to);
  return {bytes, parts};
}

const shown = new WeakMap<Page, ShownHtml>();
