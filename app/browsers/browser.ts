import type {StatedPriority} from '../http/priority.ts';

/** How important a browser finds a request, from 0 (most important) to 4. Each browser has its own rules. */
export type Level = 0 | 1 | 2 | 3 | 4;

/** The levels, under the names that Chromium and WebKit give them. */
export const LEVEL = {veryHigh: 0, high: 1, medium: 2, low: 3, veryLow: 4} as const satisfies Record<string, Level>;

/**
 * When a connection becomes free, a browser is assumed to send the next waiting request on it within this time. In our
 * captures of Chromium, 19 of 20 waiting requests were sent within 2 ms.
 */
export const TURN_NS = 5e6;

/** What is requested. */
export type RequestKind = 'document' | 'sheet' | 'script' | 'font' | 'picture' | 'fetch';

/** What a browser knows about a request when it is made. */
export interface RequestFacts {
  readonly kind: RequestKind;
  /**
   * What makes the request: the preload scanner, which reads ahead of the parser; the parser; a `link rel=preload` or
   * `modulepreload`; a style sheet (`@import`, a font or a background picture); or a script.
   */
  readonly by: 'scanner' | 'parser' | 'preload' | 'style' | 'script';
  /** For a script of the document: how the page includes it. */
  readonly mode: 'sync' | 'async' | 'defer' | 'module' | 'async-module' | undefined;
  readonly fetchPriority: 'high' | 'low' | 'auto';
  /**
   * Whether the browser made this request after it had requested a picture that the HTML contains. False for requests
   * that a style sheet makes.
   */
  readonly isLate: boolean;
  readonly isInBody: boolean;
  /** For a style sheet: whether it applies to the screen. */
  readonly isForScreen: boolean;
  readonly isLazy: boolean;
  /**
   * For a picture in the HTML: how many pictures of the HTML were requested before it, without those whose stated size
   * is small.
   */
  readonly before: number;
  /** For a picture whose size the page states: its area in px². */
  readonly area: number | undefined;
}

/** A request that waits in the browser, or was sent and has not been answered completely yet. */
export interface Running {
  readonly level: Level;
  readonly origin: number;
}

/** The state that decides whether a waiting request may be sent. */
export interface Situation {
  /** Whether the parser is still in the head. */
  readonly isInHead: boolean;
  /** The requests that were sent and are not answered completely, without the request for the document. */
  readonly running: readonly Running[];
  /** Whether requests state priorities, as in HTTP/2 and HTTP/3. */
  readonly hasPriorities: boolean;
  /** Whether a connection carries one request at a time, so that the next one waits until the response is complete. */
  readonly carriesOne: boolean;
}

/** The limits on how long painting waits for fonts that the head preloads. The wait ends at the earlier limit. */
export interface FontWait {
  /** The limit that counts from the end of everything else that delays painting, ms. */
  readonly afterOthersMs: number;
  /** The limit that counts from the beginning of the navigation, ms. */
  readonly sinceStartMs: number;
}

/** The rules of a real browser. */
export interface BrowserRules {
  levelOf(facts: RequestFacts): Level;
  /**
   * The level of a picture that turns out to be on the first screen when the page is laid out. Null if the level of
   * such a picture stays the same.
   */
  readonly onScreen: Level | null;
  /** Whether a waiting request may be sent. Waiting requests are tried in the order of their levels. */
  mayGo(request: Running, situation: Situation): boolean;
  /**
   * Without HTTP priorities: whether requests that are found together are sent in the order in which they were found,
   * so that the first one takes an idle connection of HTTP/1.1. If false, they are sent in the order of their levels.
   */
  readonly firstFoundFirst: boolean;
  /**
   * Whether a request that waits for a connection of HTTP/1.1 keeps its place among the waiting requests if it becomes
   * more urgent.
   */
  readonly keepsPlace: boolean;
  /**
   * The time in ms after which the browser opens a second TCP connection to an origin if the first one is not
   * established yet. Null if it never does.
   */
  readonly backupMs: number | null;
  /** What the request states to the server over HTTP/2 and HTTP/3. */
  priorityOf(facts: RequestFacts, level: Level): StatedPriority;
  /** Whether requests of HTTP/2 state a chain of dependencies (`StreamChain`). */
  readonly hasChain: boolean;
  /** Whether scripts run, so that the parser waits for them. */
  readonly runsScripts: boolean;
  /**
   * Whether the preload scanner reads all HTML as it arrives. If false, it reads only while a script or a style sheet
   * holds up the parser.
   */
  readonly scansAlways: boolean;
  /** Lazy pictures are requested if they begin no more than this far below the first screen, in CSS px. */
  readonly lazyMarginPx: number;
  /**
   * Whether a style sheet's imports are found as soon as its first bytes arrive. If false, they are found only when the
   * whole sheet has arrived.
   */
  readonly scansSheets: boolean;
  /** Whether requests without credentials to origins other than that of the document have connections of their own. */
  readonly isolatesAnonymous: boolean;
  /** Whether each frame of HTTP/2 is written to the socket by itself, so that small frames share no packet. */
  readonly writesFramesApart: boolean;
  /** Over QUIC: the factor of the RTT's variation in the client's probe timeout. RFC 9002 §6.2.1 has 4. */
  readonly rttvarFactor: number;
  /**
   * Over QUIC: whether, from the server's packet number 100 on, the browser acknowledges only every tenth packet without
   * delay, and the others later; and whether it acknowledges four packets after a gap without delay.
   */
  readonly decimatesAcks?: true;
  /** Over QUIC: whether each request has a datagram of its own, even if several requests are made at the same time. */
  readonly sendsRequestsApart?: true;
  /**
   * Over QUIC: the client's probe timeout before it knows the RTT, ms. Null if it is that of the profile (RFC 9002
   * §6.2.2).
   */
  readonly firstTimeoutMs: number | null;
  /** The time from the beginning of the navigation until the browser looks up the host or connects to it, ms. */
  readonly startMs: number;
  /** The time from the arrival of the document's first bytes until the browser reads them, ms. */
  readonly commitMs: number;
  /**
   * The time from the end of `commitMs` until the first requests that the document causes leave the browser, ms. Other
   * requests, preconnects and changes of priority that the browser decides on in this time leave together with these
   * requests, in the order of the decisions.
   */
  readonly sendMs: number;
  /**
   * The time from the arrival of a whole style sheet until the browser has read it, ms. With `scansSheets`, it is also
   * the time from the arrival of the first bytes until the imports are requested.
   */
  readonly sheetMs: number;
  /** The time from the end of what held up the parser until the parser goes on, ms. */
  readonly resumeMs: number;
  /**
   * The time from the end of the last thing that delays painting, or from a later change of the page, until layout, ms.
   */
  readonly layoutMs: number;
  /** How long preloaded fonts may delay painting. Null if they never delay it. */
  readonly fontWait: FontWait | null;
  /**
   * The time from a change of the page to the frame that shows it, ms. If something delays painting, the time counts
   * from the end of the delay.
   */
  readonly paintMs: number;
}

/** The times for a browser whose times are not needed or not known. */
export const NO_TIMES = {
  startMs: 0,
  commitMs: 0,
  sendMs: 0,
  sheetMs: 0,
  resumeMs: 0,
  layoutMs: 0,
  fontWait: null,
  paintMs: 0,
} as const satisfies Partial<BrowserRules>;

/** The model of a browser. It says what the browser requests, when, in which order and with which priority. */
export interface Browser<N extends string = string> {
  /** The name in scenario documents. */
  readonly name: N;
  /** The name for people, with the version that was measured. */
  readonly label: string;
  /** One sentence for users. */
  readonly about: string;
  /** Absent for the plain browser, which requests each object as soon as it is found, in the order of the page. */
  readonly rules?: BrowserRules;
}
