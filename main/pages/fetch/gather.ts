import {createHash} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {type Edit, edited} from '../../../app/page/edits.ts';
import {measureHtml} from '../../../app/page/htmlExtent.ts';
import {imageSize} from '../../../app/page/imageSize.ts';
import {
  MOST_CHARACTERS,
  otherAddresses,
  type StyleReference,
  styleReferences,
} from '../../../app/page/styleReferences.ts';
import {isDataUrl} from '../../../app/page/url.ts';
import {absoluteAddress} from '../base/absoluteAddress.ts';
import type {GatewayLimits} from '../base/gatewayLimits.ts';
import {fontType, imageType, type MediaType} from '../base/mediaType.ts';
import {FetchError} from '../base/pageErrors.ts';
import type {Bundle, BundleFile, BundleObject, Conversion, LeftOut} from '../store/bundle.ts';
import type {Fetched} from './fetcher.ts';
import {htmlReferences, type LeftOutKind} from './htmlReferences.ts';
import {readCss, readHtml} from './readText.ts';

export interface GatherOptions {
  readonly limits: GatewayLimits;
  /** Addresses that `get` may be called with. By default http(s) and sctp. */
  readonly schemes?: RegExp;
  /** Fetches an address. @throws FetchError */
  readonly get: (address: string) => Promise<Fetched>;
  /** Converts a picture. If this is missing, pictures are stored as the server sent them. */
  readonly convert?: (bytes: Uint8Array, type: MediaType) => Promise<Converted | undefined>;
  readonly date: Date;
  /**
   * The objects that a browser requested. Those that neither the HTML nor its style sheets name are stored last, in the
   * order of this list. With this list, the HTML keeps its scripts and preloads. Without it, both are left out.
   */
  readonly others?: readonly OtherObject[];
  /** Called with the number of finished objects and the number of all objects that are known so far. */
  readonly onProgress?: (done: number, all: number) => void;
}

/** An object that a browser requested. */
export interface OtherObject {
  readonly address: string;
  readonly kind: 'image' | 'font' | 'style' | 'other';
}

export interface Converted {
  readonly bytes: Uint8Array;
  readonly type: MediaType;
  readonly conversion: Conversion;
}

/**
 * Gathers a page's HTML, pictures, fonts and style sheets, and the objects in `others`, into a bundle. In the HTML and
 * the style sheets of the bundle, addresses of these objects lead to the bundle's files. Addresses of objects that are
 * left out are removed or lead to nothing.
 * @throws FetchError if the page itself cannot be fetched or is not HTML
 */
export async function gather(address: string, options: GatherOptions): Promise<Bundle> {
  const index = await options.get(address);
  if (!/^(text\/html|application\/xhtml\+xml)\b|^$/.test(index.contentType)) {
    throw new FetchError(`it is ${index.contentType.split(';')[0]}, not HTML`);
  }
  return await new Gathering(address, index, options).finish();
}

type Kind = StyleReference['kind'] | OtherObject['kind'];

/** The path within `files/` of the file that a reference leads to. Undefined if the bundle has no such file. */
type Place = Promise<string | undefined>;

class Gathering {
  readonly #address: string;
  readonly #index: Fetched;
  readonly #options: GatherOptions;
  readonly #queue: Queue;
  readonly #converting = new Queue(1);
  /**
   * Style sheets are read in the order in which the page names them, not in the order in which they arrive. So the
   * files of the same page always have the same numbers, and the bundle always has the same hash.
   */
  readonly #reading = new Queue(1);
  /** The files that references lead to, keyed by kind and address without fragment. */
  readonly #places = new Map<string, Place>();
  readonly #objects: (StoredObject | undefined)[] = [];
  /** Style sheets that are being read. They may import one another in a circle, so only `finish` waits for them. */
  readonly #sheets: Promise<void>[] = [];
  readonly #leftOut: LeftOut[] = [];
  readonly #known = new Set<string>();
  #done = 0;
  /** Time that the conversions have taken so far, in ms. */
  #convertMs = 0;
  /** Number of pictures that are stored without conversion because `limits.convertMs` ran out. */
  #unconverted = 0;

  constructor(address: string, index: Fetched, options: GatherOptions) {
    this.#address = address;
    this.#index = index;
    this.#options = options;
    this.#queue = new Queue(options.limits.parallel);
  }

  async finish(): Promise<Bundle> {
    const whole = Buffer.from(readHtml(this.#index.body, this.#index.contentType));
    const {bytes, why} = measureHtml(whole);
    if (why !== null) this.#leaveOut(this.#index.address, why);
    const html = whole.subarray(0, bytes).toString();
    const {base, found, styles, edits, leftOut, saysCharset} = htmlReferences(html, {
      keepsScripts: this.#options.others !== undefined,
    });
    const own = this.#index.address;
    const from = (base === undefined ? undefined : this.#resolved(base, own)) ?? own;
    // all requests are made or queued before the first is awaited
    const [puts, sheets] = [
      found.map(({kind, reference, put}) => this.#placed(reference, from, kind, 0).then(put)),
      styles.map(({css, put}) => this.#styleText(css, from, 0, FOLDER).then(put)),
    ];
    const all = [...edits, ...(await Promise.all(puts)), ...(await Promise.all(sheets))];
    await this.#placeOthers();
    // each sheet may add further sheets
    for (let sheet = this.#sheets.shift(); sheet !== undefined; sheet = this.#sheets.shift()) await sheet;
    if (this.#unconverted > 0)
      this.#leaveOut(this.#index.address, unconverted(this.#unconverted, this.#options.limits));
    const index = {
      path: 'index.html',
      bytes: Buffer.from((saysCharset ? '' : BYTE_ORDER_MARK) + edited(html, all)),
    };
    const stored = this.#objects.filter(each => each !== undefined);
    return {
      files: [index, ...stored.map(({file}) => file)],
      document: {
        address: this.#address,
        date: this.#options.date.toISOString(),
        objects: [
          described(this.#index.address, index, 'text/html; charset=utf-8'),
          ...stored.map(({object}) => object),
        ],
        leftOut: this.#leftOut,
        notLoaded: countsOf(leftOut),
      },
    };
  }

  /**
   * Stores the objects in `others` that are not stored yet. They are stored one after the other, so that their files
   * always have the same numbers.
   */
  async #placeOthers(): Promise<void> {
    const stored = new Set(this.#objects.map(each => each?.object.address));
    for (const {address, kind} of this.#options.others ?? []) {
      if (!stored.has(address)) await this.#place(address, this.#index.address, kind, 0);
    }
  }

  /** Returns the address that replaces a reference in the HTML. */
  async #placed(reference: string, base: string, kind: Kind, depth: number) {
    const path = await this.#place(reference, base, kind, depth);
    return path === undefined ? NOTHING : FOLDER + path;
  }

  /** Resolves a reference. Returns undefined if it is invalid, or if its scheme is not allowed. */
  #resolved(reference: string, base: string): string | undefined {
    const address = absoluteAddress(reference, base);
    const {schemes = HTTP} = this.#options;
    return address !== undefined && schemes.test(address) ? address : undefined;
  }

  #place(reference: string, base: string, kind: Kind, depth: number): Place {
    const address = this.#resolved(reference, base);
    if (address === undefined) {
      const isValid = absoluteAddress(reference, base) !== undefined;
      this.#leaveOut(reference, isValid ? 'it is not an http(s) or sctp address' : 'it is not a valid address');
      return Promise.resolve(undefined);
    }
    const key = `${kind === 'import' ? 'style' : kind} ${address}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = this.#fetch(address, kind, depth);
    this.#places.set(key, place);
    return place;
  }

  async #fetch(address: string, kind: Kind, depth: number): Place {
    const {limits, get, onProgress} = this.#options;
    if (this.#objects.length >= limits.objects) {
      this.#leaveOut(address, `the page has more than ${limits.objects} objects`);
      return undefined;
    }
    const slot = this.#objects.push(undefined) - 1;
    try {
      const response = this.#queue.run(() => get(address));
      if (kind === 'image') return await this.#keepImage(slot, await response);
      if (kind === 'font') return this.#keepFont(slot, await response);
      if (kind === 'other') return this.#keepOther(slot, await response);
      // The request may fail before the queue awaits it. Without this line, that would be an unhandled rejection.
      response.catch(() => undefined);
      return await this.#reading.run(async () => this.#keepSheet(slot, await response, depth));
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      this.#leaveOut(address, error.message);
      return undefined;
    } finally {
      this.#done += 1;
      onProgress?.(this.#done, this.#objects.length);
    }
  }

  async #keepImage(slot: number, {address, contentType, body}: Fetched): Promise<string> {
    const type = imageType(body, contentType);
    if (type === undefined) throw new FetchError('it is not a picture that browsers show');
    const size = imageSize(body);
    const {pixels} = this.#options.limits;
    if (size !== undefined && size.width * size.height > pixels) {
      const limit = `at most ${pixels / 1e6} million`;
      throw new FetchError(`it is a picture of ${size.width} × ${size.height} pixels (${limit})`);
    }
    // pictures are converted one at a time, because the pixels of several would not fit into memory
    const converted = await this.#converting.run(() => this.#converted(body, type));
    const path = pathOf(slot, address, converted?.type ?? type);
    this.#keep(slot, address, {path, bytes: converted?.bytes ?? body}, converted?.type ?? type, converted);
    return path;
  }

  /**
   * Converts a picture. Returns undefined if the picture is to be stored as the server sent it. If `limits.convertMs`,
   * the time for all conversions, runs out during a conversion, the result of this conversion is ignored.
   */
  async #converted(body: Uint8Array, type: MediaType): Promise<Converted | undefined> {
    const {convert, limits} = this.#options;
    const leftMs = Math.max(limits.convertMs - this.#convertMs, 0);
    if (convert === undefined) return undefined;
    const [fromMs, late] = [performance.now(), new AbortController()];
    const made: Converted | undefined | typeof LATE = await Promise.race([
      leftMs > 0 ? convert(body, type) : sleep(0, LATE),
      sleep(leftMs, LATE, {signal: late.signal}),
    ]).finally(() => late.abort());
    this.#convertMs += performance.now() - fromMs;
    if (made !== LATE) return made;
    // a timer may fire slightly early by this clock; without this line a little time would be left
    this.#convertMs = limits.convertMs;
    this.#unconverted += 1;
    return undefined;
  }

  #keepFont(slot: number, {address, body}: Fetched): string {
    const type = fontType(body);
    if (type === undefined) throw new FetchError('it is not a font that browsers accept');
    const path = pathOf(slot, address, type);
    this.#keep(slot, address, {path, bytes: body}, type);
    return path;
  }

  /** Stores an object whose content is not shown, such as a script or data. Its type is what the server says. */
  #keepOther(slot: number, {address, contentType, body}: Fetched): string {
    const [type = ''] = contentType.split(';');
    const extension = EXTENSIONS.get(type) ?? 'bin';
    const path = pathOf(slot, address, {type, extension});
    this.#keep(slot, address, {path, bytes: body}, {type: type || 'application/octet-stream', extension});
    return path;
  }

  #keepSheet(slot: number, {address, contentType, body}: Fetched, depth: number): string {
    if (!/^text\/css\b|^$/.test(contentType)) {
      throw new FetchError(`it is ${contentType.split(';')[0]}, not a style sheet`);
    }
    if (body.length > MOST_CHARACTERS) {
      throw new FetchError(`it is a style sheet of ${body.length} bytes (at most ${MOST_CHARACTERS})`);
    }
    const path = pathOf(slot, address, CSS);
    const css = this.#styleText(inUtf8(readCss(body, contentType)), address, depth, '');
    this.#sheets.push(css.then(text => this.#keep(slot, address, {path, bytes: Buffer.from(text)}, CSS)));
    return path;
  }

  /** Rewrites CSS so that its addresses lead to the bundle's files. `folder` is put before the files' names. */
  async #styleText(css: string, base: string, depth: number, folder: string): Promise<string> {
    const references = styleReferences(css);
    const edits = references.flatMap((found): Promise<Edit>[] => {
      const {kind, reference, start, end} = found;
      if (isDataUrl(reference)) return [];
      const isTooDeep = kind === 'import' && depth >= this.#options.limits.importDepth;
      if (isTooDeep) this.#leaveOut(reference, `sheets import each other more than ${depth} deep`);
      const place = isTooDeep ? Promise.resolve(undefined) : this.#place(reference, base, kind, depth + 1);
      return [place.then(path => ({start, end, text: `url("${path === undefined ? NOTHING : folder + path}")`}))];
    });
    // removes the addresses that are not loaded
    const cut = references.flatMap(({others}) => (others === undefined ? [] : [{...others, text: ''}]));
    const emptied = otherAddresses(css, references).map(place => ({...place, text: `url("${NOTHING}")`}));
    return edited(css, [...(await Promise.all(edits)), ...cut, ...emptied]);
  }

  #keep(slot: number, address: string, {path, bytes}: BundleFile, {type}: MediaType, converted?: Converted): void {
    const file = {path: FOLDER + path, bytes};
    const conversion = converted === undefined ? {} : {converted: converted.conversion};
    this.#objects[slot] = {file, object: {...described(address, file, type), ...conversion}};
  }

  #leaveOut(address: string, why: string): void {
    const key = `${address} ${why}`;
    if (this.#known.has(key)) return;
    this.#known.add(key);
    if (this.#leftOut.length < MOST_LEFT_OUT) this.#leftOut.push({address: address.slice(0, LONGEST_ADDRESS), why});
  }
}

interface StoredObject {
  readonly file: BundleFile;
  readonly object: BundleObject;
}

/** Runs tasks in the order in which they are added, at most `parallel` at the same time. */
class Queue {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(parallel: number) {
    this.#free = parallel;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>(go => this.#waiting.push(go));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

function unconverted(count: number, {convertMs}: GatewayLimits): string {
  const pictures = count === 1 ? '1 picture is not converted' : `${count} pictures are not converted`;
  return `${pictures}: the conversions take more than ${convertMs / 1000} s`;
}

function pathOf(slot: number, address: string, {extension}: MediaType): string {
  return `${slot + 1}-${nameOf(address)}.${extension}`;
}

function described(address: string, {path, bytes}: BundleFile, type: string): BundleObject {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return {address, file: path, type, bytes: bytes.length, sha256};
}

/**
 * Returns an address's file name without its extension, reduced to at most 40 characters that every file system and
 * every address allows.
 */
function nameOf(address: string): string {
  const name = new URL(address).pathname.split('/').at(-1) ?? '';
  return (
    name
      .replace(/\.[A-Za-z0-9]{1,5}$/, '')
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .slice(0, 40) || 'object'
  );
}

/** Sets the @charset of a style sheet to UTF-8, because all style sheets of a bundle are UTF-8. */
function inUtf8(css: string): string {
  return css.replace(/^@charset "[^"]*";/, '@charset "utf-8";');
}

function countsOf(leftOut: ReadonlyMap<LeftOutKind, number>): readonly string[] {
  return Array.from(leftOut, ([kind, count]) => `${count} ${count === 1 ? kind : pluralOf(kind)}`);
}

/** The result of a conversion that ran out of time. */
const LATE = Symbol('late');

const HTTP = /^(https?|sctp):/;

/** Folder of all files but index.html. */
const FOLDER = 'files/';

function pluralOf(kind: LeftOutKind): string {
  return kind === 'reference of a drawing' ? 'references of drawings' : `${kind}s`;
}

const CSS: MediaType = {type: 'text/css', extension: 'css'};

/** Extensions of files whose content is not shown, keyed by media type. Files of other types get `bin`. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['application/javascript', 'js'],
  ['application/json', 'json'],
  ['text/html', 'html'],
  ['text/javascript', 'js'],
  ['text/plain', 'txt'],
]);

/** Marks the HTML as UTF-8 if the HTML itself does not name its encoding. */
const BYTE_ORDER_MARK = '\ufeff';

/** Largest number of lines about left-out objects in a bundle.json. Only a hostile page has more. */
const MOST_LEFT_OUT = 10_000;

/** How many characters of an address are kept in a line about a left-out object. */
const LONGEST_ADDRESS = 2000;

/** An address that loads nothing, even in a browser. */
const NOTHING = 'data:,';
