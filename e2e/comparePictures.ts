import sharp, {type Sharp} from 'sharp';

/** What differs between two pictures of the same size. */
export interface Difference {
  /** The share of the picture's cells that differ visibly, 0–1. */
  readonly share: number;
  /**
   * The largest share of differing cells in any area of the size of a short word, 0–1. It is large if a word, button or
   * mark differs, and small if glyphs or edges are only smoothed differently.
   */
  readonly densest: number;
  /** The smallest rectangle that contains all differing cells, in px of the picture; null if no cell differs. */
  readonly area: {readonly left: number; readonly top: number; readonly width: number; readonly height: number} | null;
}

/** The edge of a cell, px. A cell is compared by its mean colour, so that the smoothing of glyphs does not matter. */
const CELL_PX = 4;

/** The area of a short word, in cells. */
const WORD = {columns: 8, rows: 4};

/** Two cells differ if one of their channels (red, green, blue; 0 to 255) differs by more than this number. */
const MOST_CHANNEL_DIFFERENCE = 24;

/**
 * Compares two pictures (any format that sharp reads) cell by cell.
 * @throws Error if their sizes differ
 */
export async function comparePictures(picture: Buffer, golden: Buffer): Promise<Difference> {
  const [actual, expected] = [await cellsOf(sharp(picture)), await cellsOf(sharp(golden))];
  const {columns, rows, width, height} = actual;
  if (width !== expected.width || height !== expected.height)
    throw new Error(`the sizes differ: ${sizeText(actual)}, but the golden has ${sizeText(expected)}`);
  const differing = Array.from({length: columns * rows}, (_, cell) => cell).filter(cell =>
    [0, 1, 2].some(channel => {
      const at = cell * 3 + channel;
      return Math.abs((actual.data[at] ?? 0) - (expected.data[at] ?? 0)) > MOST_CHANNEL_DIFFERENCE;
    }),
  );
  return {
    share: differing.length / (columns * rows),
    densest: densest(differing, columns, rows),
    area: areaOf(differing, columns),
  };
}

interface Cells {
  /** The mean of each channel in each cell, 0–255. */
  readonly data: Float64Array;
  readonly columns: number;
  readonly rows: number;
  readonly width: number;
  readonly height: number;
}

async function cellsOf(picture: Sharp): Promise<Cells> {
  const raw = picture.removeAlpha().toColourspace('srgb').raw();
  const {data: pixels, info} = await raw.toBuffer({resolveWithObject: true});
  const {width, height} = info;
  const [columns, rows] = [Math.ceil(width / CELL_PX), Math.ceil(height / CELL_PX)];
  const [sums, counts] = [new Float64Array(columns * rows * 3), new Float64Array(columns * rows * 3)];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width * 3; x++) {
      const cell = Math.floor(y / CELL_PX) * columns + Math.floor(x / 3 / CELL_PX);
      const at = cell * 3 + (x % 3);
      sums[at] = (sums[at] ?? 0) + (pixels[y * width * 3 + x] ?? 0);
      counts[at] = (counts[at] ?? 0) + 1;
    }
  }
  return {data: sums.map((sum, at) => sum / (counts[at] ?? 1)), columns, rows, width, height};
}

function densest(differing: readonly number[], columns: number, rows: number): number {
  const isDifferent = new Uint8Array(columns * rows);
  for (const cell of differing) isDifferent[cell] = 1;
  let most = 0;
  for (const cell of differing) {
    // Only areas with a differing cell in their top row are tried. The densest area is among them: if its top row has
    // no such cell, the area can be moved down without losing any.
    for (let left = 0; left < WORD.columns; left++) {
      let count = 0;
      for (let y = 0; y < WORD.rows; y++) {
        const row = Math.floor(cell / columns) + y;
        for (let x = 0; x < WORD.columns; x++) {
          const column = (cell % columns) - left + x;
          if (column >= 0 && column < columns && row < rows) count += isDifferent[row * columns + column] ?? 0;
        }
      }
      most = Math.max(most, count);
    }
  }
  return most / (WORD.columns * WORD.rows);
}

function sizeText({width, height}: Cells): string {
  return `${width} × ${height}`;
}

function areaOf(cells: readonly number[], columns: number): Difference['area'] {
  if (cells.length === 0) return null;
  const xs = cells.map(cell => cell % columns);
  const ys = cells.map(cell => Math.floor(cell / columns));
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return {
    left: left * CELL_PX,
    top: top * CELL_PX,
    width: (Math.max(...xs) - left + 1) * CELL_PX,
    height: (Math.max(...ys) - top + 1) * CELL_PX,
  };
}
