import {imageSize} from '../../../app/page/imageSize.ts';
import {type ConvertedPage, type Page, pageAs} from '../../../app/page/page.ts';
import {scanEnds} from '../../../app/page/scanEnds.ts';
import {shownBytes, shownHtml} from '../../../app/page/shownHtml.ts';
import type {QualityCurve} from '../../../app/run/quality/curve.ts';
import type {ConvertedQuality, ObjectQuality, PageQuality} from '../../../app/run/quality/pageQuality.ts';
import {atOnce, type Slices} from '../../kit/slices.ts';
import {isSynthetic} from '../panes/synthetic.ts';
import {type Effort, pictureCurve, type ScannedPicture} from './pictureCurve.ts';
import {nextTask, type PlacedPicture, REFERENCE_SCREEN, ReferenceScreen} from './referenceScreen.ts';

export interface MeasureOptions {
  /**
   * Called with the number of objects that are already measured, and the number of all objects to measure: the HTML,
   * each picture, and each converted form of a picture. Converted forms are counted only after the HTML is measured.
   */
  readonly onProgress?: (done: number, all: number) => void;
  readonly signal?: AbortSignal;
  /** Runs slices of the work, by default immediately. In the window, slices wait until the window is idle. */
  readonly slices?: Slices;
}

/**
 * Measures what prefixes of a page's objects look like. This browser decodes the prefixes as in the panes, and compares
 * them with the complete objects at the size that the objects have on the reference screen (1024 × 768 px). Pictures
 * that gateways convert are also measured in their converted form. The work is done in slices, so that the window stays
 * responsive. The curve of a picture (its quality by bytes) is kept, and used again if the same body is measured under
 * the same conditions ({@link contentKey}).
 * @throws the signal's reason when the signal is aborted
 */
export async function measureQuality(page: ConvertedPage, options: MeasureOptions = {}): Promise<PageQuality> {
  const {onProgress, signal, slices = atOnce} = options;
  signal?.throwIfAborted();
  const objects: (ObjectQuality | null)[] = page.objects.map(() => null);
  if (isSynthetic(page)) return {screen: REFERENCE_SCREEN, objects};
  const screen = await ReferenceScreen.open(page, signal);
  let pictures: readonly PlacedPicture[];
  const blocking = screen.blockingSheets();
  try {
    pictures = screen.pictures();
    onProgress?.(0, pictures.length + 1);
    objects[0] = await textQuality(page, screen, slices, signal);
  } finally {
    screen.close();
  }
  let done = 1;
  const forms: readonly Form[] = [{page, pictures, objects}, ...convertedForms(page, pictures)];
  const all = forms.flatMap(form => form.pictures.map(picture => ({form, picture})));
  onProgress?.(done, all.length + 1);
  // pictures on the first screen come first
  const queue = [...all].sort((a, b) => Number(b.picture.area > 0) - Number(a.picture.area > 0));
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const {form, picture} = next;
      form.objects[picture.object] = await pictureQuality(form.page, picture, pictures.length, {
        slices,
        signal,
      });
      done += 1;
      onProgress?.(done, all.length + 1);
    }
  };
  await Promise.all(Array.from({length: AT_ONCE}, work));
  const converted = convertedQualities(page, forms);
  return {
    screen: REFERENCE_SCREEN,
    objects,
    ...(converted.length === 0 ? {} : {converted}),
    ...(blocking.length === 0 ? {} : {blocking}),
  };
}

/** The page's pictures in one form: as the server has them, or as one conversion has made them. */
interface Form {
  readonly page: Page;
  readonly pictures: readonly PlacedPicture[];
  readonly objects: (ObjectQuality | null)[];
}

function convertedForms(page: ConvertedPage, placed: readonly PlacedPicture[]): readonly Form[] {
  return (page.converted ?? []).map(({conversion, objects}) => ({
    page: pageAs(page, conversion),
    pictures: placed.filter(({object}) => objects[object] !== null),
    objects: objects.map(() => null),
  }));
}

/** The quality of each conversion's objects. For an object that was not converted, it is that of the served object. */
function convertedQualities({converted = []}: ConvertedPage, [served, ...forms]: readonly Form[]) {
  return converted.map(({conversion, objects}, i): ConvertedQuality => {
    const seen = objects.map((made, object) => (made === null ? served : forms[i])?.objects[object] ?? null);
    return {conversion, objects: seen};
  });
}

/** How many pictures are measured at the same time. While one is decoded, another one is compared. */
const AT_ONCE = 6;

/**
 * The curve of the page's text: the share of the text's final area that is visible when a given number of bytes of HTML
 * has arrived. What scripts inserted counts as visible when the HTML before its place has arrived.
 */
async function textQuality(
  page: Page,
  screen: ReferenceScreen,
  slices: Slices,
  signal: AbortSignal | undefined,
): Promise<ObjectQuality | null> {
  const bytes = page.objects[0]?.body?.length ?? 0;
  if (bytes === 0) return null;
  const html = shownHtml(page);
  const areaAt = (own: number): number => screen.textArea(shownBytes(html, own));
  const area = areaAt(bytes);
  const parsed = MOST_PARSED_BYTES / html.bytes.length;
  const steps = Math.round(Math.min(Math.max(parsed, LEAST_STEPS), MOST_STEPS));
  const curve: [number, number][] = [[bytes, 1]];
  let least = 1;
  for (let step = steps - 1; step > 0 && area > 0; step--) {
    const prefix = Math.round((bytes * step) / steps);
    const seen = await slices(() => areaAt(prefix));
    const share = Math.min(seen / area, 1);
    // the curve must not fall, although a later element can push a text out of the first screen
    least = Math.min(least, share);
    if (least === 0) break;
    // if several prefixes have equal shares, only the shortest is kept
    if (curve[0]?.[1] === least && curve.length > 1) curve.shift();
    curve.unshift([prefix, least]);
    await nextTask();
    signal?.throwIfAborted();
  }
  return {kind: 'text', area, curve, scanEnds: [bytes]};
}

/**
 * The number of prefixes is chosen so that at most this number of bytes is parsed for one curve. Long HTML still has
 * {@link LEAST_STEPS} prefixes. Each prefix is parsed from its beginning.
 */
const MOST_PARSED_BYTES = 2e6;
const [LEAST_STEPS, MOST_STEPS] = [4, 24];

async function pictureQuality(
  page: Page,
  {object, area, shown}: PlacedPicture,
  pictures: number,
  effort: Pick<Effort, 'slices' | 'signal'>,
): Promise<ObjectQuality | null> {
  const {body, contentType} = page.objects[object] ?? {body: null, contentType: ''};
  if (body === null) return null;
  const file: ScannedPicture = {body, contentType, scanEnds: await effort.slices(() => scanEnds(body))};
  const {width, height} = imageSize(body) ?? {width: 1, height: 1};
  const whole = {kind: 'picture', area, curve: [[body.length, 1]], scanEnds: file.scanEnds} as const;
  if (width * height > LARGEST_PX) return whole;
  const prefixes = prefixesOf(width * height, pictures);
  const key = await contentKey(body, [contentType, shown, prefixes]);
  const known = measured.get(key);
  const curve = known === undefined ? await pictureCurve(file, shown, {prefixes, ...effort}) : known;
  keep(key, curve);
  return curve === null ? null : {...whole, curve};
}

/** How many prefixes of a picture are decoded: fewer if the page has many pictures or the picture has many pixels. */
function prefixesOf(pixels: number, pictures: number): number {
  const affordable = Math.min(PAGE_PREFIXES / pictures, DECODED_PX / pixels, MOST_PREFIXES);
  return Math.max(Math.floor(affordable), LEAST_PREFIXES);
}

const PAGE_PREFIXES = 2000;
const [LEAST_PREFIXES, MOST_PREFIXES] = [3, 24];
const DECODED_PX = 100e6;

/** Pictures with more pixels are not measured, because each decoded prefix would take more than 200 MB as RGBA. */
export const LARGEST_PX = 50e6;

const measured = new Map<string, QualityCurve | null>();

function keep(key: string, curve: QualityCurve | null): void {
  // moved to the end, so that the first key is the least recently used
  measured.delete(key);
  measured.set(key, curve);
  for (const oldest of measured.keys()) {
    if (measured.size <= MOST_KEPT) return;
    measured.delete(oldest);
  }
}

/** How many curves are kept: enough for a few pages with a thousand pictures each. */
const MOST_KEPT = 4000;

/** A key for bytes that are measured under these conditions. Equal bytes and conditions have the same key. */
async function contentKey(body: Uint8Array, conditions: readonly unknown[]): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body as Uint8Array<ArrayBuffer>));
  const hash = Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('');
  return `${hash} ${JSON.stringify(conditions)}`;
}
