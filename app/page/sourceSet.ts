/**
 * The attributes of an img element that determine its address, and the source elements before it in the same picture
 * element.
 */
export interface ImageElement {
  readonly src?: string | undefined;
  readonly srcset?: string | undefined;
  /** The value of the attribute `width`, in CSS pixels. */
  readonly width?: string | undefined;
  /** The source elements, in document order. */
  readonly sources: readonly PictureSource[];
}

export interface PictureSource {
  readonly srcset?: string | undefined;
  readonly type?: string | undefined;
  readonly media?: string | undefined;
}

/**
 * Chooses the address from which an image is loaded, independently of the screen. The candidates are those in the
 * srcset of one source element of the picture element: the first that has a srcset, has no media condition, and states
 * either no type or a type that browsers show. If there is no such element, the candidates are those in the srcset of
 * the image, and also `src` (for 1 px per CSS px) if none of them states a width. The first of these rules that applies
 * decides:
 * - The candidate for 1 px per CSS px is chosen.
 * - The narrowest candidate that is at least as wide as the width attribute is chosen. If this attribute is missing or
 *   not in px, 1024 px are assumed.
 * - The widest candidate is chosen, if candidates state widths.
 * - The first candidate is chosen.
 * - `src` is used.
 *
 * The result is undefined if there is no address at all.
 */
export function chosenSource({src, srcset, width, sources}: ImageElement): string | undefined {
  const source = sources.find(
    ({srcset, type, media}) => srcset?.trim() && isUnconditional(media) && (!type?.trim() || isShown(type)),
  );
  const leastPx = /^\s*\d{1,5}\s*(px)?\s*$/.test(width ?? '') ? Number.parseInt(width ?? '', 10) : USUAL_WIDTH_PX;
  const own = src?.trim() || undefined;
  const candidates = candidatesOf(source?.srcset ?? srcset ?? '');
  // If no candidate states a width, `src` is the candidate for 1 px per CSS px (HTML §4.8.4.3.9).
  const isOwn = source === undefined && own !== undefined && candidates.every(each => each.width === undefined);
  const all = isOwn ? [...candidates, {reference: own, width: undefined, density: 1}] : candidates;
  return chosenCandidate(all, leastPx)?.reference ?? own;
}

interface Candidate {
  readonly reference: string;
  /** The width of the picture in px. It is undefined if the candidate states a density instead. */
  readonly width: number | undefined;
  readonly density: number;
}

/** Parses a srcset attribute (HTML §4.8.4.3.1). Invalid candidates are left out. */
function candidatesOf(srcset: string): readonly Candidate[] {
  const candidates: Candidate[] = [];
  let rest = srcset;
  for (;;) {
    // An address ends at white space. It may contain commas, but its last character is not a comma.
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

/**
 * Removes commas from the end. It uses a loop, because a regular expression would need quadratic time for many commas.
 */
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

/**
 * Media types that every current version of Chromium shows. JPEG XL is not included, because only the newest versions
 * show it.
 */
const SHOWN: ReadonlySet<string> = new Set(
  `avif apng bmp gif jpeg jpg pjpeg png svg+xml vnd.microsoft.icon webp x-icon x-png`
    .split(' ')
    .map(subtype => `image/${subtype}`),
);

/**
 * The width in CSS px that is assumed for an image without a width attribute. It is the width of the screen with the
 * option `--visual` and in most studies of web pages.
 */
const USUAL_WIDTH_PX = 1024;
