import {isObject} from '../../../app/base/schema.ts';
import type {RecordedType} from '../../../app/page/recording.ts';
import {absoluteAddress} from '../base/absoluteAddress.ts';
import {
  answerBefore,
  type ObservedCause,
  type ObservedLoad,
  type ObservedRequest,
  priorityOf,
} from '../record/traceRequests.ts';

/** The parts of an entry of a HAR file (the archive) that are needed to find the causes of requests. */
interface HarRequest {
  readonly address: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly type: RecordedType;
  readonly priority: unknown;
  /** What made the request, as `_initiator` of Chromium's DevTools says. */
  readonly initiator: Initiator;
  readonly bytes: ObservedRequest['bytes'];
}

interface Initiator {
  readonly type: string;
  readonly url: string;
  /**
   * The outermost call that led to the request, also through timers and promises. Its address is empty if not known.
   */
  readonly asker: Frame;
  readonly isTimer: boolean;
  /** Whether the request was made after its script had waited for a promise or an XMLHttpRequest. */
  readonly isContinued: boolean;
}

/** One call of a stack. Lines are counted from 0. */
interface Frame {
  readonly address: string;
  readonly line: number;
}

/**
 * Reads what caused each request from the fields that Chromium adds to an archive: `_initiator`, `_priority` and
 * `_resourceType`. `page` is the address of the page's HTML. An archive does not say when scripts ran. So if the cause
 * of a request is a file (a script or a style sheet) or the answer to an earlier request, the whole time from the
 * arrival of the cause to the request counts as time of the processor. If the cause is a script that had set a timer,
 * this time counts as a wait instead. If the cause is the HTML, an inline script or the page's load event, no time
 * counts. `isNamed` returns whether the page's HTML may name an address. This is needed because Chromium also names the
 * parser as the initiator of requests that scripts make before the parser has finished. Returns undefined if no entry
 * is the page's HTML, or if no entry has an initiator, so that nothing is known about causes.
 */
export function loadOfHar(
  entries: readonly unknown[],
  page: string,
  isNamed: (address: string) => boolean,
): ObservedLoad | undefined {
  const all = entries
    .slice(0, MOST_ENTRIES)
    .flatMap(requestOf)
    .sort((a, b) => a.startMs - b.startMs);
  const first = all.findIndex(({address}) => address === page);
  const requests = all.slice(Math.max(first, 0));
  const [document] = requests;
  if (first < 0 || document === undefined || requests.every(({initiator}) => initiator.type === '')) return undefined;
  const known = new Map<string, HarRequest>();
  for (const each of requests) if (!known.has(each.address)) known.set(each.address, each);
  const answers = [...known.values()].filter(({type}) => type === 'data').sort((a, b) => a.endMs - b.endMs);
  const observed = [...known.values()].map((each): ObservedRequest => {
    const caused = each === document ? START : causeOf(each, {document, known, answers, isNamed});
    return {
      address: each.address,
      startMs: each.startMs - document.startMs,
      endMs: each.endMs - document.startMs,
      type: each === document ? 'document' : each.type,
      priority: priorityOf(each.priority),
      blocking: each.type === 'style' && each.priority === 'VeryHigh',
      ...caused,
      bytes: each.bytes,
    };
  });
  return {requests: observed, runMs: new Map()};
}

type Caused = Pick<ObservedRequest, 'cause' | 'cpuMs' | 'waitMs'>;

const START: Caused = {cause: {by: 'start'}, cpuMs: 0, waitMs: 0};

/** The entries among which the cause of a request is searched. */
interface Archive {
  readonly document: HarRequest;
  readonly known: ReadonlyMap<string, HarRequest>;
  /** The answers to fetch and XMLHttpRequest, in the order in which they had arrived. */
  readonly answers: readonly HarRequest[];
  readonly isNamed: (address: string) => boolean;
}

function causeOf(request: HarRequest, archive: Archive): Caused {
  const {initiator, startMs} = request;
  const {document, known, isNamed} = archive;
  const by = known.get(initiator.url);
  if (initiator.type === 'script') return scriptCause(request, archive);
  if (by?.type === 'style') {
    // the fonts and pictures of a style sheet are requested when the page is laid out; until then, the processor works
    return {cause: {by: 'style', address: by.address}, cpuMs: since(by, startMs), waitMs: 0};
  }
  // this is the page's icon: Chromium requests it after everything else, and names neither the HTML nor a script
  if (initiator.type === 'other' && request.type === 'other')
    return {cause: {by: 'load', event: 'load'}, cpuMs: 0, waitMs: 0};
  const answer = isNamed(request.address) ? undefined : answerBefore(startMs, archive.answers);
  if (answer !== undefined)
    return {cause: {by: 'data', address: answer.address}, cpuMs: since(answer, startMs), waitMs: 0};
  return {cause: {by: 'html', address: (by ?? document).address}, cpuMs: 0, waitMs: 0};
}

/** The cause of a request that a script made: an answer to a fetch that arrived just before, or the script itself. */
function scriptCause(request: HarRequest, archive: Archive): Caused {
  const {startMs} = request;
  const {asker, isTimer, isContinued} = request.initiator;
  const {document, answers} = archive;
  const script = askedBy(request, archive) ?? document;
  // The answer that arrived just before may be an answer to another script's request. Such an answer counts only if the
  // stack of this request shows that its script waited.
  const isAwaited = (answer: HarRequest) => isContinued || [undefined, script].includes(askedBy(answer, archive));
  const answer = answerBefore(startMs, answers, isAwaited);
  if (answer !== undefined && answer.endMs > script.endMs) {
    return {cause: {by: 'data', address: answer.address}, cpuMs: startMs - answer.endMs, waitMs: 0};
  }
  const isInline = script === document;
  const cause: ObservedCause = {
    by: 'script',
    address: script.address,
    ...(isInline ? {line: asker.line + 1} : {}),
  };
  // it is not known when an inline script arrived, because the rest of the HTML arrives after it; so no time counts
  const passedMs = isInline ? 0 : since(script, startMs);
  return isTimer ? {cause, cpuMs: 0, waitMs: passedMs} : {cause, cpuMs: passedMs, waitMs: 0};
}

function since({endMs}: HarRequest, startMs: number): number {
  return Math.max(0, startMs - endMs);
}

/**
 * The script that made a request. Undefined if it is not known. An inline script, or a script without an entry of its
 * own, counts as the page's HTML.
 */
function askedBy({initiator}: HarRequest, {document, known}: Archive): HarRequest | undefined {
  const {address} = initiator.asker;
  return address === '' ? undefined : (known.get(address) ?? document);
}

function initiatorOf(value: unknown): Initiator {
  const {type, url, stack}: {[key: string]: unknown} = isObject(value) ? value : {};
  const address = absoluteAddress(textOf(url)) ?? '';
  const frames: Frame[] = [];
  const reasons = new Set<string>();
  let part = stack;
  for (let depth = 0; isObject(part) && depth < MOST_PARTS; depth++) {
    const {callFrames, parent, description}: {[key: string]: unknown} = part;
    reasons.add(textOf(description));
    for (const frame of Array.isArray(callFrames) ? callFrames.slice(0, MOST_FRAMES) : []) {
      if (!isObject(frame) || typeof frame['url'] !== 'string') continue;
      const called = absoluteAddress(frame['url']);
      const line = Number(frame['lineNumber']);
      if (called !== undefined)
        frames.push({address: called, line: Number.isSafeInteger(line) && line >= 0 ? line : 0});
    }
    part = parent;
  }
  return {
    type: textOf(type),
    url: address,
    // If a module imports another module, the request has no stack. Then `url` names the importing module.
    asker: frames.at(-1) ?? {address, line: 0},
    isTimer: reasons.has('setTimeout') || reasons.has('setInterval'),
    isContinued: [...reasons].some(reason => CONTINUED.test(reason)),
  };
}

/** What Chromium writes between two parts of a stack if the inner part waited for a promise or an XMLHttpRequest. */
const CONTINUED = /^(Promise\.|await$|async function$|XMLHttpRequest\.)/;

function requestOf(entry: unknown): readonly HarRequest[] {
  if (!isObject(entry)) return [];
  const {request, response, startedDateTime, time, _priority, _resourceType, _initiator}: {[key: string]: unknown} =
    entry;
  if (!isObject(request) || request['method'] !== 'GET') return [];
  const address = absoluteAddress(textOf(request['url']));
  const startMs = Date.parse(textOf(startedDateTime));
  if (address === undefined || !/^https?:/.test(address) || !Number.isFinite(startMs)) return [];
  const answered: {[key: string]: unknown} = isObject(response) ? response : {};
  const content: {[key: string]: unknown} = isObject(answered['content']) ? answered['content'] : {};
  return [
    {
      address,
      startMs,
      endMs: startMs + amountOf(time),
      type: TYPES.get(textOf(_resourceType).toLowerCase()) ?? 'other',
      priority: _priority,
      initiator: initiatorOf(_initiator),
      bytes: {
        encoded: amountOf(answered['_transferSize'] ?? answered['bodySize']),
        decoded: amountOf(content['size']),
      },
    },
  ];
}

function amountOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/** A value of an archive that should be a text. If it is not, it counts as empty. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The values of `_resourceType`. */
const TYPES: ReadonlyMap<string, RecordedType> = new Map([
  ['document', 'document'],
  ['stylesheet', 'style'],
  ['script', 'script'],
  ['image', 'image'],
  ['font', 'font'],
  ['media', 'media'],
  ['fetch', 'data'],
  ['xhr', 'data'],
]);

/** Largest number of entries that are read. A page has at most a thousand objects. */
const MOST_ENTRIES = 10_000;
/** Chromium keeps at most 32 parts of an asynchronous stack. */
const MOST_PARTS = 64;
const MOST_FRAMES = 1000;
