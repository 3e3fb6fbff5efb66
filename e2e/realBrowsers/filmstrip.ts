import sharp from 'sharp';
import {escapeMarkup} from '../../app/base/text.ts';
import {VIEWPORT} from './browserLoad.ts';

/** A picture of several loads at the same moments: a row for each load. */
export interface Filmstrip {
  /** Times from navigation, ms. They stand above the columns. */
  readonly timesMs: readonly number[];
  readonly rows: readonly FilmstripRow[];
}

interface FilmstripRow {
  readonly label: string;
  /** What the screen shows at each time, in any format that sharp reads. */
  readonly screens: readonly Buffer[];
}

/** Twice the width at which README shows the picture, px. */
const WIDTH = 1800;
const GAP = 12;
const FONT_PX = 28;
const LINE_PX = 44;

/**
 * Draws a filmstrip as WebP.
 * @throws RangeError if it has no times or no rows, or if a row does not have one screen for each time
 */
export async function drawFilmstrip({timesMs, rows}: Filmstrip): Promise<Buffer> {
  const columns = timesMs.length;
  if (columns === 0 || rows.length === 0)
    throw new RangeError(`invalid filmstrip: ${columns} times and ${rows.length} rows (both must be at least 1)`);
  for (const {label, screens} of rows) {
    if (screens.length !== columns)
      throw new RangeError(
        `invalid row '${label}': ${screens.length} screens (must be one for each of ${columns} times)`,
      );
  }
  const width = Math.floor((WIDTH - GAP * (columns - 1)) / columns);
  const height = Math.round((width * VIEWPORT.height) / VIEWPORT.width);
  const leftOf = (column: number): number => column * (width + GAP);
  const topOf = (row: number): number => LINE_PX + row * (LINE_PX + height + GAP) + LINE_PX;
  const size = {width: WIDTH, height: topOf(rows.length - 1) + height};
  const texts = [
    ...timesMs.map((ms, column) => text(leftOf(column) + width / 2, 0, `${ms / 1000} s`, 'middle')),
    ...rows.map(({label}, row) => text(0, topOf(row) - LINE_PX, label, 'start')),
  ];
  const frames = rows.flatMap((_, row) => timesMs.map((_, column) => frame(leftOf(column), topOf(row), width, height)));
  const screens = rows.flatMap(({screens}, row) =>
    screens.map(async (screen, column) => {
      const input = await sharp(screen).resize(width, height, {fit: 'fill'}).toBuffer();
      return {input, left: leftOf(column), top: topOf(row)};
    }),
  );
  const drawn = `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}">${texts.join('')}${frames.join('')}</svg>`;
  return sharp({create: {...size, channels: 3, background: '#ffffff'}})
    .composite([...(await Promise.all(screens)), {input: Buffer.from(drawn)}])
    .webp({quality: 82, effort: 6})
    .toBuffer();
}

function text(x: number, top: number, words: string, anchor: 'start' | 'middle'): string {
  const look = `font-family="DejaVu Sans, sans-serif" font-size="${FONT_PX}" fill="#1f2328" text-anchor="${anchor}"`;
  return `<text x="${x}" y="${top + FONT_PX}" ${look}>${escapeMarkup(words)}</text>`;
}

function frame(x: number, y: number, width: number, height: number): string {
  const look = 'fill="none" stroke="#8c959f" stroke-width="2"';
  return `<rect x="${x + 1}" y="${y + 1}" width="${width - 2}" height="${height - 2}" ${look}/>`;
}

/** Returns the last frame that was painted by this time. @throws RangeError if there is none */
export function screenAt<T extends {readonly atMs: number}>(frames: readonly T[], atMs: number): T {
  const shown = frames.findLast(frame => frame.atMs <= atMs);
  if (shown === undefined) throw new RangeError(`no frame was painted by ${atMs} ms`);
  return shown;
}

/**
 * Returns the load with the median page time. For an even number of loads, it is the faster of the two in the middle.
 * @throws RangeError if there is no load
 */
export function medianLoad<T extends {readonly load: {readonly finishMs: number}}>(loads: readonly T[]): T {
  const sorted = [...loads].sort((a, b) => a.load.finishMs - b.load.finishMs);
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  if (median === undefined) throw new RangeError('invalid loads: there are none (at least 1 is needed)');
  return median;
}
