/** What of an img element, and of the source elements in front of it in its picture, an address is chosen by. */
export interface ImageElement {
  readonly src?: string | undefined;
  readonly srcset?: string | undefined;
  /** CSS px, as the attribute says. */
  readonly width?: string | undefined;
  /** In their order. */
  readonly sources: readonly PictureSource[];
}

export interface PictureSource {
  readonly srcset?: string | undefined;
  readonly type?: string | undefined;
  readonly media?: string | undefined;
}

/**
 * The one address that an image is loaded from, by a rule that does not depend on the screen: of a picture the first
 * source without a media condition whose type a browser shows; of its candidates, or else the image's own, that for
 * 1 px per CSS px, or the narrowest that is as wide as the width attribute, or else as 1024 px, the widest if none
 * is; or else `src`. Undefined if there is none.
 */
export function chosenSource({src, srcset, width, sources}: ImageElement): string | undefined {
  const source = sources.find(
    ({srcset, type, media}) => srcset?.trim() && isUnconditional(media) && (!type?.trim() || isShown(type)),
  );
  const leastPx = /^\s*\d{1,5}\s*(px)?\s*$/.test(width ?? '') ? Number.parseInt(width ?? '', 10) : USUAL_WIDTH_PX;
  const own = src?.trim() || undefined;
  const candidates = candidatesOf(source?.srcset ?? srcset ?? '');
  // without widths, `src` is the one for 1 px per CSS px (HTML §4.8.4.3.9)
  const isOwn = source === undefined && own !== undefined && candidates.every(each => each.width === undefined);
  const all = isOwn ? [...candidates, {reference: own, width: undefined, density: 1}] : candidates;
  return chosenCandidate(all, leastPx)?.reference ?? own;
}

interface Candidate {
  readonly reference: string;
  /** px, of the picture itself; undefined if it is told by density. */
  readonly width: number | undefined;
  readonly density: number;
}

/** Parses a srcset attribute (HTML §4.8.4.3.1); what is no candidate is left out. */
function candidatesOf(srcset: string): readonly Candidate[] {
  const candidates: Candidate[] = [];
  let rest = srcset;
  for (;;) {
    // an address ends at white space, and may itself have commas, but not at its end
    const [whole = '', address = ''] = /^[\s,]*(\S*)/.exec(rest) ?? [];
    if (address === '') return candidates;
    rest = rest.slice(whole.length);
    const reference = withoutCommas(address);
    const [descriptor = ''] = reference === address ? (/^[^,]*/.exec(rest) ?? []) : [];
    rest = rest.slice(descriptor.length);
    const candidate = candidateOf(reference, descriptor.trim());
    if (candidate !== undefined) candidates.push(candidate);
  }
}

/** A regular expression would look at each comma anew from each one before it. */
function withoutCommas(address: string): string {
  let end = address.length;
  while (address[end - 1] === ',') end -= 1;
  return address.slice(0, end);
}

function candidateOf(reference: string, descriptor: string): Candidate | undefined {
  if (descriptor === '') return {reference, width: undefined, density: 1};
  const [, number, unit] = /^(\d{1,6}(?:\.\d{1,6})?)([wx])$/.exec(descriptor) ?? [];
  if (unit === undefined) return undefined;
  const isWidth = unit === 'w';
  return {reference, width: isWidth ? Number(number) : undefined, density: isWidth ? 1 : Number(number)};
}

function chosenCandidate(candidates: readonly Candidate[], leastPx: number): Candidate | undefined {
  const plain = candidates.find(({width, density}) => width === undefined && density === 1);
  if (plain !== undefined) return plain;
  const rising = candidates.filter(each => each.width !== undefined).sort((a, b) => (a.width ?? 0) - (b.width ?? 0));
  return rising.find(({width}) => (width ?? 0) >= leastPx) ?? rising.at(-1) ?? candidates[0];
}

function isUnconditional(media = ''): boolean {
  return /^\s*(all)?\s*$/i.test(media);
}

function isShown(type: string): boolean {
  return SHOWN.has((type.split(';')[0] ?? '').trim().toLowerCase());
}

/** What every Chromium of today takes; JPEG XL only the latest do. */
const SHOWN: ReadonlySet<string> = new Set(
  `avif apng bmp gif jpeg jpg pjpeg png svg+xml vnd.microsoft.icon webp x-icon x-png`
    .split(' ')
    .map(subtype => `image/${subtype}`),
);

/** CSS px: the first screen of the studies that measure pages (and of `--visual`). */
const USUAL_WIDTH_PX = 1024;
