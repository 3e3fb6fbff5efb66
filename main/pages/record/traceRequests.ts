import type {RecordedPriority, RecordedType} from '../../../app/page/recording.ts';
import {withoutFragment} from '../base/absoluteAddress.ts';

/** An event of a trace of Chromium (Trace Event Format), as its DevTools and Lighthouse save it. Times are in µs. */
export interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly ts: number;
  readonly dur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly args?: {readonly data?: TraceData; readonly [key: string]: unknown};
}

type TraceData = {readonly [key: string]: unknown};

/** A request of a page, and what caused it. Times are in ms on one clock. */
export interface ObservedRequest {
  readonly address: string;
  readonly startMs: number;
  /** The time at which the whole response had arrived. Null if it did not arrive. */
  readonly endMs: number | null;
  readonly type: RecordedType;
  readonly priority: RecordedPriority;
  readonly blocking: boolean;
  readonly cause: ObservedCause;
  /** Time that scripts, style and layout took between the cause and the request. */
  readonly cpuMs: number;
  /** Time for which timers of the page waited between the cause and the request. */
  readonly waitMs: number;
  /** Size of the response as it arrived, and size without content coding. 0 if the size is not known. */
  readonly bytes: {readonly encoded: number; readonly decoded: number};
}

/** What caused a request. Objects are named by their addresses. */
export type ObservedCause =
  | {readonly by: 'start'}
  | {readonly by: 'html'; readonly address: string}
  | {readonly by: 'style'; readonly address: string}
  /** If the script is inline, `address` is that of the HTML, and `line` is the script's line in it, counted from 1. */
  | {readonly by: 'script'; readonly address: string; readonly line?: number}
  | {readonly by: 'data'; readonly address: string}
  | {readonly by: 'load'; readonly event: 'DOMContentLoaded' | 'load'};

/** The requests of a page, and the time for which each script ran. */
export interface ObservedLoad {
  /** The requests in the order in which they were made. The first is the request for the page's HTML. */
  readonly requests: readonly ObservedRequest[];
  /** The time for which each script ran when it was evaluated, in ms, keyed by address. */
  readonly runMs: ReadonlyMap<string, number>;
}

/**
 * Finds the requests of a page in a trace. A script is the cause of requests that it made while it was evaluated. If a
 * timer or an animation frame made a request, the request has the same cause as the task that set the timer or frame.
 * If a script made a request after the answer to a fetch or an XMLHttpRequest, the cause is that answer. `isNamed`
 * returns whether the page's HTML may name an address. An address that the HTML does not name was requested by a
 * script. Returns undefined if the trace has no page.
 */
export function requestsOfTrace(
  events: readonly TraceEvent[],
  isNamed: (address: string) => boolean = () => true,
): ObservedLoad | undefined {
  const document = events.find(event => isSent(event) && dataOf(event)['resourceType'] === 'Document' && isWeb(event));
  if (document === undefined) return undefined;
  return new TraceReader(events, document, isNamed).read();
}

/** What caused a request or a task, and the times between the cause and the request or task, in ms. */
interface Trigger {
  readonly cause: ObservedCause;
  readonly cpuMs: number;
  readonly waitMs: number;
}

interface OpenTask {
  readonly event: TraceEvent;
  readonly endTs: number;
}

interface Exchange {
  readonly sent: TraceEvent;
  readonly trigger: Trigger;
  endTs: number | null;
  encoded: number;
  decoded: number;
}

class TraceReader {
  readonly #events: readonly TraceEvent[];
  readonly #document: TraceEvent;
  readonly #isNamed: (address: string) => boolean;
  /** Whether the trace has tasks of scripts, which tell more than stacks of calls. */
  readonly #hasTasks: boolean;
  readonly #exchanges = new Map<unknown, Exchange>();
  /** Answers to fetch and XMLHttpRequest, the latest last. */
  readonly #answers: {readonly address: string; readonly endMs: number}[] = [];
  readonly #runMs = new Map<string, number>();
  /** What caused the task that set each timer or animation frame, keyed by {@link timerKey}. */
  readonly #set = new Map<string, {readonly trigger: Trigger; readonly ts: number; readonly timeoutMs: number}>();
  #open: OpenTask[] = [];
  #lastScript: ObservedCause | undefined;

  constructor(events: readonly TraceEvent[], document: TraceEvent, isNamed: (address: string) => boolean) {
    this.#document = document;
    this.#isNamed = isNamed;
    const {pid, tid} = document;
    this.#hasTasks = events.some(({name, dur}) => dur !== undefined && SCRIPT_TASKS.has(name));
    // All events of a page are on one thread.
    this.#events = events.filter(event => event.pid === pid && event.tid === tid && event.ts >= document.ts);
  }

  read(): ObservedLoad {
    const startTs = this.#document.ts;
    // Events at the same time stay in the order of the trace.
    for (const event of [...this.#events].sort((a, b) => a.ts - b.ts)) this.#take(event);
    const requests = [...this.#exchanges.values()].map(exchange => observed(exchange, startTs));
    return {requests, runMs: this.#runMs};
  }

  #take(event: TraceEvent): void {
    this.#open = this.#open.filter(({endTs}) => endTs >= event.ts);
    if (event.dur !== undefined) {
      if (event.name === 'EvaluateScript') this.#evaluate(event);
      if (this.#open.length < DEEPEST) this.#open.push({event, endTs: event.ts + event.dur});
      return;
    }
    const data = dataOf(event);
    switch (event.name) {
      case 'ResourceSendRequest':
        this.#send(event);
        break;
      case 'ResourceFinish':
        this.#finish(event);
        break;
      case 'TimerInstall':
      case 'RequestAnimationFrame':
        this.#set.set(timerKey(event), {
          trigger: this.#trigger(event.ts),
          ts: event.ts,
          timeoutMs: Number(data['timeout'] ?? 0),
        });
        break;
      default:
    }
  }

  #evaluate(event: TraceEvent): void {
    const {cause} = scriptCause(event, this.#document) ?? {};
    const address = String(dataOf(event)['url'] ?? '');
    this.#runMs.set(address, (this.#runMs.get(address) ?? 0) + (event.dur ?? 0) / 1000);
    this.#lastScript = cause ?? this.#lastScript;
  }

  #send(event: TraceEvent): void {
    const {requestId} = dataOf(event);
    if (!isWeb(event) || this.#exchanges.has(requestId)) return;
    this.#exchanges.set(requestId, {sent: event, trigger: this.#cause(event), endTs: null, encoded: 0, decoded: 0});
  }

  #finish(event: TraceEvent): void {
    const {requestId, didFail, encodedDataLength, decodedBodyLength} = dataOf(event);
    const exchange = this.#exchanges.get(requestId);
    if (exchange === undefined || didFail === true) return;
    exchange.endTs = event.ts;
    exchange.encoded = Number(encodedDataLength ?? 0);
    exchange.decoded = Number(decodedBodyLength ?? 0);
    if (isData(exchange.sent)) this.#answers.push({address: addressOf(exchange.sent), endMs: event.ts / 1000});
  }

  /** What caused a request. */
  #cause(event: TraceEvent): Trigger {
    const initiator = (dataOf(event)['initiator'] ?? {}) as {type?: string; url?: string; fetchType?: string};
    if (event === this.#document) return {cause: {by: 'start'}, cpuMs: 0, waitMs: 0};
    if (this.#scripts().length > 0) return this.#trigger(event.ts);
    const {type, url = addressOf(this.#document), fetchType} = initiator;
    // A style sheet names the object. The browser computes the style in the current task.
    if (fetchType === 'css') return this.#inTask({by: 'style', address: url}, event.ts);
    // Another module imports this module.
    if (type === 'script' && initiator.url !== undefined) return this.#inTask({by: 'script', address: url}, event.ts);
    if (type === 'script') return this.#byStack(event) ?? this.#trigger(event.ts);
    // This is the page's icon.
    if (type === 'other' && fetchType === '') return {cause: {by: 'load', event: 'load'}, cpuMs: 0, waitMs: 0};
    // Until the parser has finished, Chromium also names the parser as the initiator of requests that scripts make when
    // a promise is fulfilled.
    if (type === 'other' || !this.#isNamed(addressOf(event))) return this.#trigger(event.ts);
    return {cause: {by: 'html', address: url}, cpuMs: 0, waitMs: 0};
  }

  /**
   * The script at the outer end of a request's stack of calls. Undefined if the trace has tasks of scripts, which tell
   * more. The time since the script arrived counts as time of the processor. It is 0 for an inline script.
   */
  #byStack(event: TraceEvent): Trigger | undefined {
    const {stackTrace} = dataOf(event);
    if (this.#hasTasks || !Array.isArray(stackTrace)) return undefined;
    const frame: unknown = stackTrace.at(-1);
    if (typeof frame !== 'object' || frame === null) return undefined;
    const {url, lineNumber} = frame as {readonly url?: unknown; readonly lineNumber?: unknown};
    const exchange = [...this.#exchanges.values()].find(({sent}) => addressOf(sent) === url);
    if (typeof url !== 'string' || exchange === undefined) return undefined;
    const isInline = exchange.sent === this.#document;
    const cause = {by: 'script', address: url, ...(isInline ? {line: Number(lineNumber ?? 1)} : {})} as const;
    const cpuMs = isInline || exchange.endTs === null ? 0 : Math.max(0, event.ts - exchange.endTs) / 1000;
    return {cause, cpuMs, waitMs: 0};
  }

  /**
   * The trigger of a request that is made in the current task, and whose cause is known. The task counts as time of the
   * processor, because it began when the causing object had arrived.
   */
  #inTask(cause: ObservedCause, ts: number): Trigger {
    const [task] = this.#open;
    return {cause, cpuMs: task === undefined ? 0 : (ts - task.event.ts) / 1000, waitMs: 0};
  }

  /** The tasks of scripts that are running, the outermost first. */
  #scripts(): readonly OpenTask[] {
    return this.#open.filter(({event}) => SCRIPT_TASKS.has(event.name));
  }

  /** What caused the scripts that are running now. */
  #trigger(ts: number): Trigger {
    const scripts = this.#scripts();
    for (const {event} of scripts) {
      const found = this.#triggerOf(event, ts);
      if (found !== undefined) return found;
    }
    const beganTs = scripts[0]?.event.ts ?? this.#open[0]?.event.ts ?? ts;
    const cpuMs = (ts - beganTs) / 1000;
    // A promise of the page waited for this answer.
    const answer = answerBefore(beganTs / 1000, this.#answers);
    if (answer !== undefined) {
      return {cause: {by: 'data', address: answer.address}, cpuMs: ts / 1000 - answer.endMs, waitMs: 0};
    }
    return {cause: this.#lastScript ?? {by: 'html', address: addressOf(this.#document)}, cpuMs, waitMs: 0};
  }

  /** What caused a task, if the task itself says so. */
  #triggerOf(event: TraceEvent, ts: number): Trigger | undefined {
    const data = dataOf(event);
    const cpuMs = (ts - event.ts) / 1000;
    switch (event.name) {
      case 'EvaluateScript':
        return scriptCause(event, this.#document, cpuMs);
      case 'XHRLoad':
      case 'XHRReadyStateChange':
        return {cause: {by: 'data', address: String(data['url'])}, cpuMs, waitMs: 0};
      case 'TimerFire':
      case 'FireAnimationFrame': {
        const set = this.#set.get(timerKey(event));
        if (set === undefined) return undefined;
        const {trigger, timeoutMs} = set;
        const passedMs = (event.ts - set.ts) / 1000;
        return {
          cause: trigger.cause,
          cpuMs: trigger.cpuMs + cpuMs,
          waitMs: trigger.waitMs + (event.name === 'TimerFire' ? Math.min(passedMs, timeoutMs) : 0),
        };
      }
      case 'EventDispatch':
        if (data['type'] === 'DOMContentLoaded')
          return {cause: {by: 'load', event: 'DOMContentLoaded'}, cpuMs, waitMs: 0};
        return undefined;
      default:
        return undefined;
    }
  }
}

/** The script that is evaluated. An inline script has the address of its document. */
function scriptCause(event: TraceEvent, document: TraceEvent, cpuMs = 0): Trigger | undefined {
  const {url, lineNumber} = dataOf(event);
  if (typeof url !== 'string' || url === '') return undefined;
  const isInline = withoutFragment(url) === withoutFragment(addressOf(document));
  const cause = {by: 'script', address: url, ...(isInline ? {line: Number(lineNumber ?? 1)} : {})} as const;
  return {cause, cpuMs, waitMs: 0};
}

function observed({sent, trigger, endTs, encoded, decoded}: Exchange, startTs: number): ObservedRequest {
  const {resourceType, priority, renderBlocking} = dataOf(sent);
  return {
    address: addressOf(sent),
    startMs: (sent.ts - startTs) / 1000,
    endMs: endTs === null ? null : (endTs - startTs) / 1000,
    type: typeOf(String(resourceType), sent),
    priority: priorityOf(priority),
    blocking: BLOCKING.has(String(renderBlocking)),
    ...trigger,
    bytes: {encoded, decoded},
  };
}

function typeOf(resourceType: string, sent: TraceEvent): RecordedType {
  return isData(sent) ? 'data' : (TYPES.get(resourceType) ?? 'other');
}

/** Reads a priority of Chromium. An unknown priority counts as low. */
export function priorityOf(priority: unknown): RecordedPriority {
  return PRIORITIES.find(each => each === priority) ?? 'Low';
}

const PRIORITIES: readonly RecordedPriority[] = ['VeryHigh', 'High', 'Medium', 'Low', 'VeryLow'];

const TYPES: ReadonlyMap<string, RecordedType> = new Map([
  ['Document', 'document'],
  ['Stylesheet', 'style'],
  ['Script', 'script'],
  ['Image', 'image'],
  ['Font', 'font'],
  ['Media', 'media'],
  ['Fetch', 'data'],
  ['XHR', 'data'],
]);

/** The values of `renderBlocking` of objects that must have arrived before the page is painted. */
const BLOCKING: ReadonlySet<string> = new Set(['blocking', 'in_body_parser_blocking']);

/** Tasks that run scripts. Chromium nests them. A request gets its cause from the outermost task that names a cause. */
const SCRIPT_TASKS: ReadonlySet<string> = new Set([
  'EvaluateScript',
  'EventDispatch',
  'FireAnimationFrame',
  'FireIdleCallback',
  'FunctionCall',
  'RunMicrotasks',
  'TimerFire',
  'XHRLoad',
  'XHRReadyStateChange',
  'v8.callFunction',
  'v8.evaluateModule',
  'v8.run',
]);

/** Largest number of open tasks. Real tasks nest far less, but a trace that a stranger made could keep all open. */
const DEEPEST = 1000;

/**
 * Returns the last answer to `fetch` or XMLHttpRequest that had arrived by `atMs`, if it arrived less than
 * {@link LATEST_ANSWER_MS} earlier. A task that begins at `atMs` is attributed to this answer, unless the task names
 * another cause. `answers` are in the order in which they arrived. `isPossible` returns whether the task may have
 * waited for an answer. By default it may have waited for any answer.
 */
export function answerBefore<T extends {readonly endMs: number}>(
  atMs: number,
  answers: readonly T[],
  isPossible: (answer: T) => boolean = () => true,
): T | undefined {
  const answer = answers.findLast(each => each.endMs <= atMs && isPossible(each));
  return answer !== undefined && atMs - answer.endMs < LATEST_ANSWER_MS ? answer : undefined;
}

const LATEST_ANSWER_MS = 50;

function isSent({name}: TraceEvent): boolean {
  return name === 'ResourceSendRequest';
}

/** Whether a request goes to a web server. The browser's own pages have other schemes. */
function isWeb(event: TraceEvent): boolean {
  return /^https?:/.test(addressOf(event));
}

/** Whether a request was made by `fetch` or XMLHttpRequest. */
function isData(sent: TraceEvent): boolean {
  const {initiator, resourceType} = dataOf(sent);
  const {fetchType} = (initiator ?? {}) as {fetchType?: unknown};
  return fetchType === 'fetch' || fetchType === 'xmlhttprequest' || resourceType === 'Fetch' || resourceType === 'XHR';
}

function timerKey(event: TraceEvent): string {
  const {frame, timerId, id} = dataOf(event);
  return `${frame} ${timerId === undefined ? `frame ${id}` : `timer ${timerId}`}`;
}

function addressOf(event: TraceEvent): string {
  return String(dataOf(event)['url'] ?? '');
}

function dataOf({args}: TraceEvent): TraceData {
  return args?.data ?? {};
}
