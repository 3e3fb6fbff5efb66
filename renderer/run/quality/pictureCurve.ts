import type {QualityCurve} from '../../../app/run/quality/curve.ts';
import type {Slices} from '../../kit/slices.ts';
import {closedPrefix, imageType, type PictureFile} from '../panes/decodePicture.ts';
import {openEndedPicture, wantsOpenEnd} from '../panes/openEnded.ts';
import type {ShownPicture} from './shownPicture.ts';
import {type Plane, planeOf, ssim} from './ssim.ts';

/** A picture to measure. */
export interface ScannedPicture extends PictureFile {
  readonly scanEnds: readonly number[];
}

/** Limits the work for one curve. */
export interface Effort {
  /** How many prefixes are decoded at most, including those that end with a scan. */
  readonly prefixes: number;
  readonly signal: AbortSignal | undefined;
  /** Runs work that blocks this thread. */
  readonly slices: Slices;
}

/**
 * How similar prefixes of a picture look to the complete picture, at the size at which the page shows it. Null if
 * nothing of the complete picture can be seen. Prefixes that end with a scan are measured first; if there are many
 * scans, only some of these prefixes. Each further prefix is in the middle of a gap between two measured prefixes. The
 * gap is one in which the curve is least known: its number of bytes times its rise in quality is largest. So prefixes
 * are close together where much changes, and a picture of 1 MB needs no more of them than one of 10 KB.
 *
 * A prefix of which nothing can be seen has quality 0, although the SSIM of an empty box is higher (0.06 to 0.58 for
 * the fixtures). The curve never falls, although the SSIM of a longer prefix can be lower, by at most 0.02 in the
 * fixtures.
 */
export async function pictureCurve(
  file: ScannedPicture,
  shown: ShownPicture,
  {prefixes, signal, slices}: Effort,
): Promise<QualityCurve | null> {
  const {body} = file;
  const comparison = await Comparison.open(file, shown, slices);
  signal?.throwIfAborted();
  if (comparison === undefined) return null;
  const known = new Map<number, number>([
    [0, 0],
    [body.length, 1],
  ]);
  const look = async (bytes: number): Promise<void> => {
    known.set(bytes, await comparison.qualityOf(bytes));
    signal?.throwIfAborted();
  };
  for (const end of thinned(file.scanEnds.slice(0, -1), prefixes / 2)) await look(end);
  while (known.size - 2 < prefixes) {
    const middles = widest(known, body.length, Math.min(AT_ONCE, prefixes - known.size + 2));
    if (middles.length === 0) break;
    await Promise.all(middles.map(look));
  }
  return rising(known);
}

/** The complete picture, with which prefixes are compared. */
class Comparison {
  readonly #file: ScannedPicture;
  readonly #painting: Painting;
  readonly #blank: Uint32Array;
  readonly #whole: Uint32Array;
  readonly #plane: Plane;
  readonly #slices: Slices;

  private constructor(
    file: ScannedPicture,
    painting: Painting,
    blank: Uint32Array,
    whole: Uint32Array,
    slices: Slices,
  ) {
    this.#file = file;
    this.#slices = slices;
    this.#painting = painting;
    this.#blank = blank;
    this.#whole = whole;
    this.#plane = painting.plane(whole);
  }

  /** Opens a comparison. Undefined if nothing of the picture can be seen. */
  static async open(file: ScannedPicture, shown: ShownPicture, slices: Slices): Promise<Comparison | undefined> {
    const image = await loadedPicture(file, file.body.length);
    if (image === undefined) return undefined;
    return slices(() => {
      const painting = new Painting(shown);
      const blank = painting.paint(undefined);
      const whole = painting.paint(image);
      return isEqual(whole, blank) ? undefined : new Comparison(file, painting, blank, whole, slices);
    });
  }

  async qualityOf(bytes: number): Promise<number> {
    const image = await loadedPicture(this.#file, bytes);
    if (image === undefined) return 0;
    return this.#slices(() => {
      const pixels = this.#painting.paint(image);
      if (isEqual(pixels, this.#blank)) return 0;
      // an SSIM of 1 is not enough for quality 1: it compares only brightness, and colours can still be wrong
      if (isEqual(pixels, this.#whole)) return 1;
      return Math.min(Math.max(ssim(this.#painting.plane(pixels), this.#plane), 0), NOT_WHOLE);
    });
  }
}

/** The highest quality of a prefix that does not look exactly like the complete picture. */
const NOT_WHOLE = 0.9999;

/** Paints a picture as its box on the page shows it. */
class Painting {
  readonly #shown: ShownPicture;
  readonly #scale: number;
  readonly #context: OffscreenCanvasRenderingContext2D;

  constructor(shown: ShownPicture) {
    const {width, height} = shown.size;
    this.#shown = shown;
    this.#scale = comparedScale(width, height);
    const [columns, rows] = [width, height].map(side => Math.max(Math.round(side * this.#scale), 1));
    const canvas = new OffscreenCanvas(columns ?? 1, rows ?? 1);
    const context = canvas.getContext('2d', {willReadFrequently: true});
    if (context === null) throw new Error('a canvas has no context');
    this.#context = context;
    // the quality with which Chromium paints image elements
    context.imageSmoothingQuality = 'medium';
  }

  paint(image: CanvasImageSource | undefined): Uint32Array {
    const context = this.#context;
    const {width, height} = context.canvas;
    context.fillStyle = this.#shown.background;
    context.fillRect(0, 0, width, height);
    if (image !== undefined) {
      const {x, y, width: across, height: down} = this.#shown.drawn;
      const [scaleX, scaleY] = [width / this.#shown.size.width, height / this.#shown.size.height];
      context.drawImage(image, x * scaleX, y * scaleY, across * scaleX, down * scaleY);
    }
    return new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  }

  plane(pixels: Uint32Array): Plane {
    const {width, height} = this.#context.canvas;
    return planeOf(new Uint8ClampedArray(pixels.buffer), width, height);
  }
}

/**
 * The scale at which pictures are compared. If a picture is large on the screen, it is reduced before it is compared,
 * until its shorter side has about 256 px. The reduced picture is what a viewer sees from a distance at which all of
 * the picture is in sight (Z. Wang's note to ssim_index.m, 'suggested usage').
 */
function comparedScale(width: number, height: number): number {
  const halvings = Math.max(1, Math.round(Math.min(width, height) / 256));
  return Math.min(1 / halvings, Math.sqrt(MOST_COMPARED_PX / (width * height)));
}

/** The largest number of pixels that are compared. A picture that is still larger is reduced further. */
const MOST_COMPARED_PX = 512 * 512;

function isEqual(a: Uint32Array, b: Uint32Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The middles of the gaps in which the curve is least known, if another prefix there is worth the work. */
function widest(known: ReadonlyMap<number, number>, wholeBytes: number, most: number): readonly number[] {
  const points = [...known].sort(([a], [b]) => a - b);
  return points
    .flatMap(([bytes, quality], i) => {
      const [before, below] = points[i - 1] ?? [bytes, quality];
      const hidden = ((bytes - before) / wholeBytes) * (quality - below);
      return hidden > WORTH_A_LOOK && bytes - before > 1 ? [{middle: (before + bytes) >> 1, hidden}] : [];
    })
    .sort((a, b) => b.hidden - a.hidden)
    .slice(0, most)
    .map(({middle}) => middle);
}

/** Values of a list, evenly distributed. Their number is at most `most`, rounded up to a whole number. */
function thinned(values: readonly number[], most: number): readonly number[] {
  if (values.length <= most) return values;
  return values.filter(
    (_, i) => Math.floor((i * most) / values.length) !== Math.floor(((i - 1) * most) / values.length),
  );
}

function rising(known: ReadonlyMap<number, number>): QualityCurve {
  const points = [...known].sort(([a], [b]) => a - b);
  const [lastBytes] = points.at(-1) ?? [0];
  let best = 0;
  return points.filter(([bytes, quality]) => {
    const isMore = quality > best;
    best = Math.max(best, quality);
    return isMore || (bytes === lastBytes && bytes > 0);
  });
}

/**
 * A gap gets another prefix only if its area (rise of the quality × share of the bytes, both 0–1) is larger than this,
 * for example if the quality rises by more than 0.1 over 1 % of the bytes.
 */
const WORTH_A_LOOK = 0.001;
/** How many prefixes of a picture are decoded at the same time. */
const AT_ONCE = 4;

/**
 * Loads the first bytes of a picture for painting them once. Undefined if nothing of them can be shown. The pixels are
 * the same as in the panes, but cost half as much: panes keep an address for each picture and wait for `decode()`. Here
 * `decode()` would be wasted, because a canvas decodes the picture again.
 */
async function loadedPicture(file: PictureFile, bytes: number): Promise<CanvasImageSource | undefined> {
  if (wantsOpenEnd(file, bytes)) return openEndedPicture(file, bytes);
  const address = addressOf(closedPrefix(file, bytes), imageType(file));
  const image = new Image();
  const isLoaded = await new Promise<boolean>(resolve => {
    image.onload = () => resolve(true);
    image.onerror = () => resolve(false);
    image.src = address;
  });
  if (address.startsWith('blob:')) URL.revokeObjectURL(address);
  return isLoaded ? image : undefined;
}

/** An address of the bytes. For a short prefix it is a data URL, because a blob would pass through other processes. */
function addressOf(prefix: Uint8Array, type: string): string {
  if (prefix.length > MOST_LETTERS) {
    return URL.createObjectURL(new Blob([prefix as Uint8Array<ArrayBuffer>], {type}));
  }
  return `data:${type};base64,${btoa(String.fromCharCode(...prefix))}`;
}

/** The longest prefix that becomes a data URL. Encoding so many bytes takes less than a millisecond. */
const MOST_LETTERS = 32_768;
