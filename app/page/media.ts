/** The screen on which a page is laid out, in CSS px. */
export interface Screen {
  readonly width: number;
  readonly height: number;
}

/**
 * The screen of every load. It is the screen on which `--visual` measures pictures, and it is close to the most common
 * screen in studies of web pages.
 */
export const SCREEN: Screen = {width: 1024, height: 768};

/**
 * Whether a screen matches a list of media queries (Media Queries 4). An empty list matches. The known features are
 * width, height, orientation, resolution, hover and pointer (a mouse), and some preferences of the user, which have the
 * defaults of browsers. An unknown feature matches, so that nothing is left out that a browser may load.
 */
export function matchesMedia(list: string, screen: Screen = SCREEN): boolean {
  if (list.trim() === '') return true;
  return list
    .toLowerCase()
    .slice(0, LONGEST_LIST)
    .split(',')
    .some(query => matchesQuery(query.trim(), screen));
}

function matchesQuery(query: string, screen: Screen): boolean {
  const isNot = /^not\s/.test(query);
  const parts = query.replace(/^(not|only)\s+/, '').split(/\s+and\s+/);
  const matches = parts.every(part => matchesPart(part.trim(), screen));
  return isNot ? !matches : matches;
}

function matchesPart(part: string, screen: Screen): boolean {
  if (!part.startsWith('(')) return part === 'all' || part === 'screen' || part === '';
  const [, name = '', value = ''] = /^\(\s*([a-z-]+)\s*(?::\s*([^)]*))?\)$/.exec(part) ?? [];
  const known = FEATURES[name];
  if (known !== undefined) return known(value.trim(), screen);
  return matchesRange(part, screen);
}

/**
 * Whether a screen matches a range such as `(400px <= width < 900px)` or `(width >= 600px)` (Media Queries 4 §2.4.3).
 */
function matchesRange(part: string, screen: Screen): boolean {
  const [, left, leftSign, name, rightSign, right] =
    /^\(\s*(?:([\d.]+[a-z]*)\s*(<=|<|>=|>)\s*)?(width|height)\s*(?:(<=|<|>=|>|=)\s*([\d.]+[a-z]*)\s*)?\)$/.exec(part) ??
    [];
  if (name !== 'width' && name !== 'height') return true;
  const is = screen[name];
  const [low, high] = [left, right].map(text => (text === undefined ? undefined : pixels(text)));
  return (low === undefined || compare(low, leftSign, is)) && (high === undefined || compare(is, rightSign, high));
}

function compare(a: number, sign: string | undefined, b: number): boolean {
  if (sign === '<') return a < b;
  if (sign === '<=') return a <= b;
  if (sign === '>') return a > b;
  return sign === '>=' ? a >= b : a === b;
}

const FEATURES: {readonly [name: string]: (value: string, screen: Screen) => boolean} = {
  'min-width': (value, {width}) => width >= pixels(value),
  'max-width': (value, {width}) => width <= pixels(value),
  'min-height': (value, {height}) => height >= pixels(value),
  'max-height': (value, {height}) => height <= pixels(value),
  'min-device-width': (value, {width}) => width >= pixels(value),
  'max-device-width': (value, {width}) => width <= pixels(value),
  orientation: (value, {width, height}) => value === (width >= height ? 'landscape' : 'portrait'),
  'prefers-color-scheme': value => value === 'light',
  'prefers-reduced-motion': value => value === 'no-preference',
  'prefers-contrast': value => value === 'no-preference',
  hover: value => value === 'hover' || value === '',
  pointer: value => value === 'fine' || value === '',
  'min-resolution': value => resolution(value) <= 1,
  'max-resolution': value => resolution(value) >= 1,
  '-webkit-min-device-pixel-ratio': value => Number.parseFloat(value) <= 1,
  'min-device-pixel-ratio': value => Number.parseFloat(value) <= 1,
};

/**
 * Returns a length in px. An em is 16 px, because media queries use the browser's own font size (Media Queries 4 §2.4).
 */
function pixels(text: string): number {
  const value = Number.parseFloat(text);
  return /r?em$/.test(text) ? 16 * value : value;
}

/** Returns a resolution in dots per px. */
function resolution(text: string): number {
  const value = Number.parseFloat(text);
  return text.endsWith('dpi') ? value / 96 : value;
}

/** The largest number of characters of a list that are read. */
const LONGEST_LIST = 2000;
