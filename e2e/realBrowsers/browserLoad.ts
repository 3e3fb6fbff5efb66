/** What a browser reports about one load. Times are in ms from the navigation's start. */
export interface BrowserLoad {
  /** The time at which the last object of the page had arrived. */
  readonly finishMs: number;
  readonly fcpMs: number | null;
  readonly lcpMs: number | null;
  /** The time of the event DOMContentLoaded. */
  readonly dclMs: number;
  readonly loadMs: number;
  /** The objects of the page, the HTML first. */
  readonly objects: readonly LoadedObject[];
}

export interface LoadedObject {
  /** The path of the object's address, with its query. */
  readonly path: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** A real browser. It runs in the network namespace whose packets take the emulated path. */
export interface RealBrowser {
  /**
   * Loads the page once, with connections and caches of its own. Waits until the load is complete ({@link QUIET_MS}).
   * @throws Error if the load fails or takes longer than {@link LONGEST_MS}, or if {@link readLoad} refuses its result
   */
  load(address: string): Promise<BrowserLoad>;
  close(): Promise<void>;
}

/** The size of the viewport, CSS px. It is the same in both browsers and in computed loads. */
export const VIEWPORT = {width: 1024, height: 768} as const;

/** A load is complete when its `load` event has fired and no request was open for this time. */
export const QUIET_MS = 700;

/** The longest wait for one load. */
export const LONGEST_MS = 180_000;

/**
 * The source of an expression that the page evaluates. Its value is a promise of JSON: the entries of the browser's own
 * performance timeline (Navigation Timing, Resource Timing, Paint Timing, Largest Contentful Paint).
 */
export const COLLECT = `new Promise(resolve => {
  const entries = [];
  const observer = new PerformanceObserver(list => entries.push(...list.getEntries()));
  for (const type of ['navigation', 'resource', 'paint', 'largest-contentful-paint'])
    observer.observe({type, buffered: true});
  setTimeout(() => resolve(JSON.stringify(entries)), 100);
})`;

interface Entry {
  readonly entryType: 'navigation' | 'resource' | 'paint' | 'largest-contentful-paint';
  readonly name: string;
  readonly startTime: number;
  readonly responseEnd: number;
  readonly nextHopProtocol: string;
  readonly responseStatus: number;
  readonly domContentLoadedEventStart: number;
  readonly loadEventStart: number;
}

const PROTOCOL_OF = {'http/1.1': 'h1', h2: 'h2', h3: 'h3'} as const;

/**
 * Turns the result of {@link COLLECT} into a load.
 * @throws Error if the page was not loaded, if the status of an object is an error other than 404, or if an object came
 * by another protocol than `protocol`
 */
export function readLoad(json: string, protocol: 'h1' | 'h2' | 'h3'): BrowserLoad {
  const entries = JSON.parse(json) as readonly Entry[];
  const navigation = entries.find(({entryType}) => entryType === 'navigation');
  if (navigation === undefined || navigation.loadEventStart === 0) throw new Error('the page was not loaded');
  const loaded = entries.filter(({entryType, name}) => entryType === 'resource' && !name.endsWith('/favicon.ico'));
  for (const {name, nextHopProtocol, responseStatus} of [navigation, ...loaded]) {
    if (responseStatus >= 400 && responseStatus !== 404) throw new Error(`${name} is answered with ${responseStatus}`);
    const used = (PROTOCOL_OF as {[name: string]: string})[nextHopProtocol];
    // the protocol is empty for an object of another origin that does not reveal it (Timing-Allow-Origin)
    if (used !== protocol && nextHopProtocol !== '')
      throw new Error(`${name} came by ${nextHopProtocol}, not ${protocol}`);
  }
  const paint = entries.find(({name}) => name === 'first-contentful-paint');
  const largest = entries.findLast(({entryType}) => entryType === 'largest-contentful-paint');
  const objects = [navigation, ...loaded].map(({entryType, name, startTime, responseEnd}) => ({
    path: pathOf(name),
    startMs: entryType === 'navigation' ? 0 : rounded(startTime),
    endMs: rounded(responseEnd),
  }));
  return {
    finishMs: Math.max(...objects.map(({endMs}) => endMs)),
    fcpMs: paint === undefined ? null : rounded(paint.startTime),
    lcpMs: largest === undefined ? null : rounded(largest.startTime),
    dclMs: rounded(navigation.domContentLoadedEventStart),
    loadMs: rounded(navigation.loadEventStart),
    objects,
  };
}

function pathOf(address: string): string {
  const {pathname, search} = new URL(address);
  return pathname + search;
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
