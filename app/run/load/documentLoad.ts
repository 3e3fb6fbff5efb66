import type {BrowserRules, Level, RequestFacts, RequestKind} from '../../browsers/browser.ts';
import {earliest} from '../../http/exchange.ts';
import type {StatedPriority} from '../../http/priority.ts';
import {areaOnScreen} from '../../page/flow.ts';
import {imageSize} from '../../page/imageSize.ts';
import {SCREEN} from '../../page/media.ts';
import type {
  Element,
  HintElement,
  Outline,
  PictureElement,
  ScriptElement,
  Sheet,
  SheetElement,
} from '../../page/outline.ts';
import type {RecordedBox, RecordedType, Recording} from '../../page/recording.ts';
import type {Milestones} from '../trace/traceData.ts';
import {Painting} from './painting.ts';
import {RecordedGraph, type Scheduled} from './recordedGraph.ts';

export interface DocumentOptions {
  readonly outline: Outline;
  /** The bodies of the page's objects. */
  readonly bodies: readonly (Uint8Array | null)[];
  readonly rules: BrowserRules;
  /** Returns the index of an object's origin. */
  readonly originOf: (object: number) => number;
  /** Whether requests have HTTP priorities, so that all can be sent at the same time: HTTP/2 and HTTP/3. */
  readonly hasPriorities: boolean;
  /** Whether a connection carries one request at a time. */
  readonly carriesOne: boolean;
  /** Called when an object is found. */
  readonly onFound: (object: number) => void;
  readonly request: (object: number, priority: StatedPriority) => void;
  /** Changes the priority of a request that was made. */
  readonly reprioritize: (object: number, priority: StatedPriority) => void;
  /**
   * A recording of how a browser loaded the page, which this load follows. The times that scripts, style and layout
   * took in the recording are multiplied by `cpuFactor`. Absent if the page was not recorded.
   */
  readonly recorded?: {readonly recording: Recording; readonly cpuFactor: number};
  /**
   * Whether the pane's load really requests an object. If not, the load event does not wait for the object. Absent if
   * every object that the document finds is requested.
   */
  readonly isLoaded?: (object: number) => boolean;
  /** Opens a connection to an origin before anything is requested there. */
  readonly preconnect: (origin: string, isAnonymous: boolean) => void;
}

/**
 * Loads a document as a browser does. It does no I/O itself. It has a preload scanner, which reads the HTML as it
 * arrives; a parser, which waits for scripts and style sheets; layout; and a queue of requests. The browser's rules
 * decide how urgent a request is and when it can be sent.
 *
 * The caller reports what arrives, and then calls {@link DocumentLoad.settle}. It also calls `settle` when the time of
 * {@link DocumentLoad.pollTimeoutNs} is reached. Without a recording, scripts take no time and insert nothing.
 */
export class DocumentLoad {
  readonly #options: DocumentOptions;
  readonly #painting: Painting;
  /** What scripts do according to the recording. Undefined if the page was not recorded. */
  readonly #graph: RecordedGraph | undefined;
  /** The time until which a script runs, so that the page does nothing else. */
  #busyNs = 0;
  /** Scripts that run as soon as they have arrived, and that have not run yet. */
  readonly #async = new Set<number>();
  /** The requests that are needed and have not ended, by object. */
  readonly #requests = new Map<number, Request>();
  /** The requests of `#requests` that the browser's rules do not yet allow to be sent. */
  readonly #waiting = new Map<number, Request>();
  /**
   * The requests of `#requests` that the rules have allowed to be sent, except for the request of the document itself.
   */
  readonly #running = new Map<number, Request>();
  /** Objects whose requests the rules have allowed, and that `#request` has not sent yet. */
  #begun: number[] = [];
  /** Objects that are complete or have failed, and that the browser has read. */
  readonly #done = new Set<number>();
  /** Objects that are complete or have failed. */
  readonly #arrived = new Set<number>();
  /** Style sheets that have begun to arrive. */
  readonly #begunSheets = new Set<number>();
  /**
   * Parts of style sheets that have arrived and that the browser has not read yet, in the order in which it will read
   * them.
   */
  readonly #unread: Unread[] = [];
  #htmlBytes = 0;
  /** When the browser begins to read the HTML. Null if none has arrived. */
  #commitNs: number | null = null;
  /** When the first requests that the document causes leave the browser. */
  #sendNs = 0;
  /** Whether requests leave the browser immediately. Otherwise, they wait until {@link #sendNs}. */
  #isSending = true;
  /** What leaves the browser at {@link #sendNs}, in order. */
  readonly #unsent: (() => void)[] = [];
  /** Number of elements that the scanner has read. */
  #scanned = 0;
  /** Number of elements that the parser has read. */
  #parsed = 0;
  /**
   * Number of pictures in the HTML for which a request was added. Requests that the HTML or a recorded script causes
   * after the first of these pictures have `isLate`. Pictures that only scripts or style sheets request do not count.
   */
  #pictures = 0;
  /** Number of these pictures that are not small. */
  #large = 0;
  /**
   * Style sheets for the screen that the parser has reached, and that have not arrived with all their imports. Scripts
   * wait for them. Painting waits for those in the head.
   */
  readonly #awaited = new Set<SheetElement>();
  readonly #applied: Sheet[] = [];
  readonly #shown: PictureElement[] = [];
  /** Scripts that run when the parser has read all of the HTML. */
  readonly #deferred: ScriptElement[] = [];
  /** Fonts that the head preloads and that have not come. Painting waits for them for some time. */
  readonly #fonts = new Set<number>();
  /** The time until which painting waits for these fonts. It is null until fonts alone delay painting. */
  #fontsNs: number | null = null;
  #isBodyBegun = false;
  /** The time from which the parser goes on. It is infinite while an element holds up the parser. */
  #resumeNs = 0;
  #isReady = false;
  #isLoaded = false;
  /** Whether layout has to be done again. */
  #isDirty = false;
  /** The time of the next layout. Null if none is scheduled. */
  #layoutNs: number | null = null;
  /** Whether this round of the loop in `settle` has changed anything, so that another round is needed. */
  #isChanged = false;
  /** Whether something has arrived since {@link DocumentLoad.settle} last did its work. */
  #isTold = true;
  /** When `settle` next has something to do if nothing arrives before. Undefined if there is no such time. */
  #nextNs: number | undefined;
  /** The requests of `#running` as a list. Undefined if the list must be made again. */
  #runningList: Request[] | undefined;

  constructor(options: DocumentOptions) {
    this.#options = options;
    this.#painting = new Painting(options.rules.paintMs);
    if (options.recorded !== undefined) {
      const named = namedIn(options.outline);
      this.#graph = new RecordedGraph({...options.recorded, isNamed: object => named.has(object)});
    }
  }

  /** Requests the document. */
  start(): void {
    this.#want(0, factsOf('document', 'parser'));
    this.#request();
  }

  /** Called when bytes of an object have arrived. `bytes` is the number of its bytes that have arrived so far. */
  handleBytes(object: number, bytes: number, nowNs: number): void {
    // the header of a response may arrive before the body
    if (bytes === 0) return;
    if (object === 0) this.#handleHtml(bytes, nowNs);
    else if (this.#options.rules.scansSheets && this.#isSheet(object) && !this.#begunSheets.has(object)) {
      this.#isTold = true;
      this.#begunSheets.add(object);
      this.#readLater({object, isDone: false}, nowNs);
    }
  }

  /** Called when an object is complete or has failed. */
  handleDone(object: number, isComplete: boolean, nowNs: number): void {
    if (this.#arrived.has(object)) return;
    this.#arrived.add(object);
    this.#isTold = true;
    if (object === 0 && isComplete) this.#handleHtml(this.#options.outline.bytes, nowNs);
    if (isComplete) this.#painting.handleComplete(object, nowNs);
    this.#graph?.handle({type: 'done', object}, nowNs);
    if (this.#isSheet(object)) this.#readLater({object, isDone: true}, nowNs);
    else this.#read({object, isDone: true});
  }

  #isSheet(object: number): boolean {
    return this.#options.outline.sheets.has(object);
  }

  #readLater(what: Omit<Unread, 'atNs'>, nowNs: number): void {
    this.#unread.push({...what, atNs: after(nowNs, this.#options.rules.sheetMs)});
    this.#readSheets(nowNs);
  }

  /** Reads the parts of style sheets that arrived long enough ago (`sheetMs`). */
  #readSheets(nowNs: number): void {
    for (let next = this.#unread[0]; next !== undefined && next.atNs <= nowNs; next = this.#unread[0]) {
      this.#unread.shift();
      this.#read(next);
    }
  }

  #read({object, isDone}: Omit<Unread, 'atNs'>): void {
    this.#wantImports(object);
    if (!isDone) return;
    this.#done.add(object);
    this.#fonts.delete(object);
    this.#requests.delete(object);
    this.#waiting.delete(object);
    if (this.#running.delete(object)) this.#runningList = undefined;
  }

  #handleHtml(bytes: number, nowNs: number): void {
    this.#isTold = true;
    this.#htmlBytes = bytes;
    if (bytes === 0 || this.#commitNs !== null) return;
    const {commitMs, sendMs} = this.#options.rules;
    this.#commitNs = after(nowNs, commitMs);
    this.#sendNs = after(this.#commitNs, sendMs);
  }

  /**
   * Does everything that is possible now. Does nothing if nothing has arrived since the last call and the time of
   * {@link DocumentLoad.pollTimeoutNs} is not reached.
   */
  settle(nowNs: number): void {
    if (this.#commitNs !== null && nowNs < this.#commitNs) return;
    this.#isSending = nowNs >= this.#sendNs;
    if (this.#isSending) for (const send of this.#unsent.splice(0)) send();
    const isDue = this.#nextNs !== undefined && nowNs >= this.#nextNs;
    if (!this.#isTold && !isDue) return;
    this.#isTold = false;
    this.#readSheets(nowNs);
    do {
      this.#isChanged = false;
      this.#scan();
      this.#runAsync(nowNs);
      this.#parse(nowNs);
      this.#applySheets();
      this.#finish(nowNs);
      this.#layOut(nowNs);
      if (!this.#isChanged) this.#end(nowNs);
      for (const each of this.#graph?.due(nowNs) ?? []) {
        // The request is no longer scheduled, so it no longer holds up the load event. Another round finds out whether
        // the load event happens now, even if the object was already requested and nothing else changes.
        this.#isChanged = true;
        this.#wantRecorded(each);
      }
    } while (this.#isChanged);
    this.#begin();
    this.#request();
    this.#nextNs = this.pollTimeoutNs(nowNs);
  }

  /** The time when {@link DocumentLoad.settle} must be called even if nothing arrives. Undefined if there is none. */
  pollTimeoutNs(nowNs: number): number | undefined {
    if (this.#commitNs !== null && nowNs < this.#commitNs) return this.#commitNs;
    return earliest(
      this.#graph?.pollTimeoutNs(),
      ifLater(this.#unsent.length > 0 ? this.#sendNs : null, nowNs),
      ifLater(this.#busyNs, nowNs),
      ifLater(this.#resumeNs, nowNs),
      ifLater(this.#layoutNs, nowNs),
      ifLater(this.#unread[0]?.atNs ?? null, nowNs),
      ifLater(this.#fonts.size > 0 ? this.#fontsNs : null, nowNs),
    );
  }

  /** Whether nothing more will be requested and everything that was requested has ended. */
  get isDone(): boolean {
    return this.#isLoaded && this.#requests.size === 0 && this.#layoutNs === null && this.#graph?.isIdle !== false;
  }

  /** The times of the load so far. */
  milestones(): Milestones {
    const {bodies} = this.#options;
    const shown = this.#shown.map(picture => ({...picture, box: this.#boxOf(picture)}));
    const times = this.#painting.milestones(shown, object => imageSize(bodies[object] ?? new Uint8Array(0)));
    return this.#graph === undefined ? times : {...times, insertedNs: [...this.#graph.insertedNs]};
  }

  /** Whether a script runs. */
  #isBusy(nowNs: number): boolean {
    return nowNs < this.#busyNs;
  }

  /**
   * Makes the load event happen if everything that it waits for has ended. It does not wait for lazy pictures, or for
   * objects that the load does not request (`isLoaded`).
   */
  #end(nowNs: number): void {
    if (!this.#isReady || this.#isLoaded || this.#isBusy(nowNs) || this.#graph?.holdsUpLoad) return;
    for (const object of this.#async) if (this.#done.has(object)) return;
    const {isLoaded} = this.#options;
    for (const [object, {facts}] of this.#requests) if (!facts.isLazy && isLoaded?.(object) !== false) return;
    // the next layout will request what the style sheets use, so the load event waits for it
    if (this.#layoutNs !== null && this.#usedByStyle().some(({object}) => !this.#done.has(object))) return;
    this.#isLoaded = true;
    this.#painting.loadNs = nowNs;
    this.#graph?.handle({type: 'event', event: 'load'}, nowNs);
  }

  /**
   * Runs a script. If the page was recorded and the script has a file, the page does nothing else until the script
   * ends. Other scripts take no time.
   */
  #run({object, number}: {readonly object: number | null; readonly number?: number}, nowNs: number): void {
    this.#isChanged = true;
    if (this.#graph === undefined) return;
    if (object === null) {
      this.#graph.handle({type: 'runs inline', script: number ?? 0}, nowNs);
      return;
    }
    this.#busyNs = nowNs + Math.round(this.#graph.runNs(object));
    this.#graph.handle({type: 'runs', object}, nowNs, this.#busyNs);
  }

  /** Runs the scripts that wait only for their files, if these have arrived. */
  #runAsync(nowNs: number): void {
    for (const object of this.#async) {
      if (this.#isBusy(nowNs)) return;
      if (this.#done.has(object) && this.#async.delete(object)) this.#run({object}, nowNs);
    }
  }

  /** Requests what a script requested in the recording. */
  #wantRecorded({object, type, priority}: Scheduled): void {
    const kind = KINDS[type];
    const fetchPriority = kind === 'picture' && priority === 'High' ? 'high' : 'auto';
    const isNew = this.#want(object, {...factsOf(kind, 'script'), fetchPriority, isLate: this.#pictures > 0});
    if (!isNew) return;
    if (kind === 'script') this.#async.add(object);
    const box = this.#graph?.boxOf(object);
    if (kind !== 'picture' || box === undefined) return;
    this.#shown.push({
      kind: 'picture',
      at: 0,
      isInBody: true,
      object,
      isLazy: false,
      fetchPriority,
      stated: undefined,
      box: placed(box),
    });
    this.#isDirty = true;
  }

  /**
   * Returns where a picture is on the page. If the page was recorded, the recorded box replaces the estimated one, and
   * a picture without a recorded box has the size 0.
   */
  #boxOf({object, box}: PictureElement): PictureElement['box'] {
    if (this.#graph === undefined) return box;
    const recorded = this.#graph.boxOf(object);
    return recorded === undefined ? {...box, width: 0, height: 0} : placed(recorded);
  }

  get #isHtmlDone(): boolean {
    return this.#done.has(0);
  }

  #isThere({at}: Element): boolean {
    return at <= this.#htmlBytes;
  }

  /** Reads ahead of the parser (HTML §13.2.8, 'speculative HTML parsing'). */
  #scan(): void {
    const {outline, rules} = this.#options;
    if (!rules.scansAlways && !this.#isHeldUp()) return;
    this.#scanned = Math.max(this.#scanned, this.#parsed);
    for (let next = outline.elements[this.#scanned]; next !== undefined; next = outline.elements[this.#scanned]) {
      if (!this.#isThere(next)) return;
      this.#scanned += 1;
      this.#wantElement(next, 'scanner');
    }
  }

  #parse(nowNs: number): void {
    const {outline} = this.#options;
    while (!this.#isBusy(nowNs)) {
      const next = outline.elements[this.#parsed];
      if (!this.#isBodyBegun && this.#htmlBytes >= outline.bodyAt && (next?.at ?? outline.bytes) >= outline.bodyAt) {
        this.#isBodyBegun = true;
        this.#isDirty = true;
        this.#begin();
      }
      if (next === undefined || !this.#isThere(next)) return;
      this.#wantElement(next, 'parser');
      if (this.#waitsAt(next, nowNs)) return;
      this.#parsed += 1;
      this.#isChanged = true;
      this.#insert(next, nowNs);
    }
  }

  /**
   * Lets the parser wait at an element, and returns whether it waits now. The parser goes on some time (`resumeMs`)
   * after everything that held it up has arrived.
   */
  #waitsAt(element: Element, nowNs: number): boolean {
    if (this.#holdsUp(element)) this.#resumeNs = Number.POSITIVE_INFINITY;
    else if (this.#resumeNs === Number.POSITIVE_INFINITY) this.#resumeNs = after(nowNs, this.#options.rules.resumeMs);
    return nowNs < this.#resumeNs;
  }

  /** Whether the parser waits at the next element. */
  #isHeldUp(): boolean {
    const next = this.#options.outline.elements[this.#parsed];
    return next !== undefined && this.#isThere(next) && this.#holdsUp(next);
  }

  #holdsUp(element: Element): boolean {
    if (element.kind === 'script') {
      if (element.mode !== 'sync' || !this.#options.rules.runsScripts) return false;
      // a script waits for its file and for the style sheets before it (HTML §4.12.1.1)
      return (element.object !== null && !this.#done.has(element.object)) || this.#awaited.size > 0;
    }
    if (element.kind !== 'sheet' || element.object === null) return false;
    // a style sheet in the body holds up the parser, but not the painting of the elements before it
    return element.isInBody && element.isForScreen && !this.#hasCome(element.object);
  }

  #insert(element: Element, nowNs: number): void {
    this.#isDirty = true;
    if (element.kind === 'script') this.#insertScript(element, nowNs);
    else if (element.kind === 'picture') this.#shown.push(element);
    else if (element.kind === 'text') this.#painting.handleText(element, nowNs);
    else if (element.kind === 'preload' && element.as === 'font') this.#insertFont(element);
    else if (element.kind === 'sheet' && element.isForScreen) {
      if (element.object === null) this.#applied.push(element.sheet ?? NO_SHEET);
      else if (!this.#awaited.has(element)) this.#awaited.add(element);
    }
  }

  #insertScript(script: ScriptElement, nowNs: number): void {
    const {mode, object} = script;
    if (mode === 'defer' || mode === 'module') this.#deferred.push(script);
    else if (mode === 'sync' || object === null) this.#run(script, nowNs);
    else this.#async.add(object);
  }

  /** A font that is preloaded in the head delays painting. */
  #insertFont({object, isInBody}: HintElement): void {
    if (!isInBody && !this.#done.has(object)) this.#fonts.add(object);
  }

  /** Applies the style sheets that have arrived. */
  #applySheets(): void {
    for (const element of this.#awaited) {
      if (element.object === null || !this.#hasCome(element.object)) continue;
      this.#awaited.delete(element);
      this.#apply(element.object, new Set());
      this.#isDirty = true;
      this.#isChanged = true;
    }
  }

  #apply(object: number, seen: Set<number>): void {
    if (seen.has(object)) return;
    seen.add(object);
    const sheet = this.#options.outline.sheets.get(object);
    if (sheet === undefined) return;
    for (const imported of sheet.imports) this.#apply(imported, seen);
    this.#applied.push(sheet);
  }

  /** Whether a style sheet and all sheets that it imports have arrived or failed. */
  #hasCome(object: number, seen = new Set<number>()): boolean {
    if (seen.has(object)) return true;
    seen.add(object);
    const imports = this.#options.outline.sheets.get(object)?.imports ?? [];
    return this.#done.has(object) && imports.every(each => this.#hasCome(each, seen));
  }

  #wantImports(object: number): void {
    const {outline} = this.#options;
    for (const imported of outline.sheets.get(object)?.imports ?? []) this.#want(imported, factsOf('sheet', 'style'));
  }

  /** Once the parser is at the end, runs the deferred scripts in their order. After that, DOMContentLoaded happens. */
  #finish(nowNs: number): void {
    const next = this.#options.outline.elements[this.#parsed];
    const isParsed = this.#isHtmlDone && (next === undefined || !this.#isThere(next));
    if (!isParsed || this.#isReady || this.#awaited.size > 0) return;
    const {runsScripts} = this.#options.rules;
    for (let script = this.#deferred[0]; script !== undefined; script = this.#deferred[0]) {
      const isThere = script.object === null || this.#done.has(script.object);
      if (this.#isBusy(nowNs) || (runsScripts && !isThere)) return;
      this.#deferred.shift();
      this.#run(script, nowNs);
    }
    if (this.#isBusy(nowNs)) return;
    this.#isReady = true;
    this.#isChanged = true;
    this.#painting.dclNs = nowNs;
    this.#graph?.handle({type: 'event', event: 'DOMContentLoaded'}, nowNs);
  }

  /** Lays out the page if nothing holds up painting and the time of the layout has come. */
  #layOut(nowNs: number): void {
    if (!this.#isDirty || this.#holdsUpPainting(nowNs)) return;
    if (this.#layoutNs === null) {
      this.#painting.handlePainting(nowNs);
      this.#layoutNs = after(nowNs, this.#options.rules.layoutMs);
    }
    if (nowNs < this.#layoutNs) return;
    this.#layoutNs = null;
    this.#isDirty = false;
    this.#findShown();
  }

  /**
   * Whether something delays painting: the parser has not reached the body, a script runs, or a style sheet or font of
   * the head has not arrived. When only fonts are left, the function sets {@link #fontsNs}, the time until which fonts
   * delay painting.
   */
  #holdsUpPainting(nowNs: number): boolean {
    if (!this.#isBodyBegun || this.#isBusy(nowNs) || [...this.#awaited].some(({isInBody}) => !isInBody)) return true;
    const {fontWait} = this.#options.rules;
    if (fontWait === null || this.#fonts.size === 0) return false;
    const {afterOthersMs, sinceStartMs} = fontWait;
    this.#fontsNs ??= Math.min(after(nowNs, afterOthersMs), after(0, sinceStartMs));
    return nowNs < this.#fontsNs;
  }

  /** Requests what the page shows after layout, and makes the requests for pictures on the screen more urgent. */
  #findShown(): void {
    const {rules} = this.#options;
    for (const picture of this.#shown) {
      const {object, isLazy} = picture;
      const box = this.#boxOf(picture);
      if (this.#done.has(object)) continue;
      if (isLazy && box.top <= SCREEN.height + rules.lazyMarginPx) this.#wantElement(picture, 'parser', true);
      if (rules.onScreen !== null && areaOnScreen(box) > 0) this.#raise(object, rules.onScreen);
    }
    for (const {object, kind} of this.#usedByStyle()) this.#want(object, factsOf(kind, 'style'));
  }

  /**
   * Returns what the applied style sheets use: background pictures, and the fonts whose families the HTML or a rule
   * names.
   */
  #usedByStyle(): readonly {readonly object: number; readonly kind: 'picture' | 'font'}[] {
    const named = this.#applied.flatMap(sheet => [...sheet.families]);
    const families = new Set([...this.#options.outline.families, ...named]);
    return this.#applied.flatMap(({pictures, fonts}) => [
      ...pictures.map(object => ({object, kind: 'picture' as const})),
      ...fonts.filter(({family}) => families.has(family)).map(({object}) => ({object, kind: 'font' as const})),
    ]);
  }

  /** Adds a request for what an element loads. `isLazyNow` is true when a lazy picture is near the screen. */
  #wantElement(element: Element, by: 'scanner' | 'parser', isLazyNow = false): void {
    const {kind, isInBody} = element;
    if (kind === 'preconnect') this.#send(() => this.#options.preconnect(element.origin, element.isAnonymous));
    if (kind === 'text' || kind === 'preconnect' || element.object === null) return;
    if (kind === 'picture' && element.isLazy && !isLazyNow) return;
    // the scanner leaves out sheets that do not apply to the screen
    if (kind === 'sheet' && !element.isForScreen && by === 'scanner') return;
    const isHint = kind === 'preload' || kind === 'modulepreload';
    const stated = kind === 'picture' ? element.stated : undefined;
    const area = stated === undefined ? undefined : stated.width * stated.height;
    const isNew = this.#want(element.object, {
      kind: isHint ? PRELOADED[element.as] : kind,
      by: isHint ? 'preload' : by,
      mode: kind === 'script' ? element.mode : undefined,
      fetchPriority: element.fetchPriority,
      isLate: this.#pictures > 0,
      isInBody,
      isForScreen: kind !== 'sheet' || element.isForScreen,
      isLazy: kind === 'picture' && element.isLazy,
      before: kind === 'picture' ? this.#large : 0,
      area,
    });
    if (!isNew || kind !== 'picture') return;
    this.#pictures += 1;
    if (area === undefined || area > SMALL_AREA) this.#large += 1;
  }

  /**
   * Adds a request for an object, and returns whether it is new. If the object has a request that is less urgent, that
   * request becomes as urgent as this one.
   */
  #want(object: number, facts: RequestFacts): boolean {
    if (this.#done.has(object)) return false;
    const level = this.#options.rules.levelOf(facts);
    if (this.#requests.has(object)) {
      this.#raise(object, level);
      return false;
    }
    const request = {facts, level, origin: this.#options.originOf(object), isSent: false};
    this.#requests.set(object, request);
    this.#waiting.set(object, request);
    this.#isChanged = true;
    this.#options.onFound(object);
    this.#begin();
    return true;
  }

  /** Makes a request more urgent. */
  #raise(object: number, level: Level): void {
    const request = this.#requests.get(object);
    if (request === undefined || request.level <= level) return;
    request.level = level;
    const {rules, reprioritize, carriesOne} = this.#options;
    if (!request.isSent || this.#arrived.has(object) || (rules.keepsPlace && carriesOne)) return;
    const priority = rules.priorityOf(request.facts, level);
    this.#send(() => reprioritize(object, priority));
  }

  /**
   * Begins the waiting requests that the rules allow to be sent, the most urgent ones first.
   */
  #begin(): void {
    if (this.#waiting.size === 0) return;
    const {rules, hasPriorities, carriesOne} = this.#options;
    this.#runningList ??= [...this.#running.values()];
    const running = this.#runningList;
    const waiting =
      this.#waiting.size === 1 ? this.#waiting : [...this.#waiting].sort(([, a], [, b]) => a.level - b.level);
    for (const [object, request] of waiting) {
      if (!rules.mayGo(request, {isInHead: !this.#isBodyBegun, running, hasPriorities, carriesOne})) continue;
      this.#waiting.delete(object);
      if (object !== 0) {
        running.push(request);
        this.#running.set(object, request);
      }
      this.#begun.push(object);
    }
  }

  /**
   * Sends the requests that have begun. Requests that begin at the same time are sent in the order of their levels. If
   * requests have no HTTP priorities, a browser with the rule `firstFoundFirst` sends them in the order in which they
   * began.
   */
  #request(): void {
    if (this.#begun.length === 0) return;
    const {rules, request, hasPriorities} = this.#options;
    const begun = this.#begun.flatMap(object => {
      const each = this.#requests.get(object);
      return each === undefined ? [] : [{object, each}];
    });
    this.#begun = [];
    if (hasPriorities || !rules.firstFoundFirst) begun.sort((a, b) => a.each.level - b.each.level);
    for (const {object, each} of begun) {
      each.isSent = true;
      const priority = rules.priorityOf(each.facts, each.level);
      this.#send(() => request(object, priority));
    }
  }

  /** Sends something now, or when the first requests leave the browser ({@link #sendNs}). */
  #send(send: () => void): void {
    if (this.#isSending) send();
    else this.#unsent.push(send);
  }
}

/** Returns the time that is `ms` milliseconds after `atNs`, in ns. */
function after(atNs: number, ms: number): number {
  return atNs + Math.round(ms * 1e6);
}

/** Returns the time if it is known, finite and later than now. Otherwise undefined. */
function ifLater(timeNs: number | null, nowNs: number): number | undefined {
  return timeNs !== null && timeNs > nowNs && timeNs < Number.POSITIVE_INFINITY ? timeNs : undefined;
}

/** The part of a style sheet that has arrived: its first bytes, or all of it. */
interface Unread {
  readonly object: number;
  readonly isDone: boolean;
  /** When the browser reads it. */
  readonly atNs: number;
}

/** A request that is needed and has not ended. */
interface Request {
  readonly facts: RequestFacts;
  readonly origin: number;
  level: Level;
  isSent: boolean;
}

/** Returns the facts of a request about which nothing else is known. */
function factsOf(kind: RequestKind, by: RequestFacts['by']): RequestFacts {
  return {
    kind,
    by,
    mode: undefined,
    fetchPriority: 'auto',
    isLate: false,
    isInBody: false,
    isForScreen: true,
    isLazy: false,
    before: 0,
    area: undefined,
  };
}

/** Returns the objects that the load finds in the HTML and in the style sheets, without the recording. */
function namedIn({elements, sheets}: Outline): ReadonlySet<number> {
  const inHtml = elements.flatMap(element => ('object' in element && element.object !== null ? [element.object] : []));
  const inElements = elements.flatMap(element => (element.kind === 'sheet' && element.sheet ? [element.sheet] : []));
  const inSheets = [...sheets.values(), ...inElements].flatMap(({imports, pictures, fonts}) => [
    ...imports,
    ...pictures,
    ...fonts.map(({object}) => object),
  ]);
  return new Set([...inHtml, ...inSheets]);
}

/** Converts a recorded box to the form that the layout uses. */
function placed({x, y, width, height}: RecordedBox): PictureElement['box'] {
  return {left: x, top: y, width, height};
}

/** The kind of request for each type of a recorded request. */
const KINDS: {readonly [type in RecordedType]: RequestKind} = {
  document: 'document',
  style: 'sheet',
  script: 'script',
  image: 'picture',
  font: 'font',
  media: 'fetch',
  data: 'fetch',
  other: 'fetch',
};

const PRELOADED = {style: 'sheet', script: 'script', font: 'font', image: 'picture', fetch: 'fetch'} as const;

const NO_SHEET: Sheet = {imports: [], pictures: [], fonts: [], families: new Set()};

/** Pictures of at most this area, px², are not among the first pictures to which browsers give a higher priority. */
const SMALL_AREA = 10_000;
