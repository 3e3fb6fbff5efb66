import {gunzipped} from '../../../app/base/inflate.ts';
import {readJson} from '../../../app/base/json.ts';
import {isObject} from '../../../app/base/schema.ts';
import {withoutFragment} from '../base/absoluteAddress.ts';
import {FetchError, PageError} from '../base/pageErrors.ts';
import {type KnownLoad, NOT_SEEN} from '../record/recordedBundle.ts';
import {answerBefore, type ObservedRequest, requestsOfTrace, type TraceEvent} from '../record/traceRequests.ts';
import type {LocalSource} from './localSource.ts';
import {CONTENT_TYPES, placeholder, placeholderHtml, sizeOf} from './placeholders.ts';

/**
 * Reads the load in a trace of Chromium (Trace Event Format), as its DevTools and Lighthouse save it. The file may be
 * compressed with gzip. `isNamed` returns whether the page's HTML may name an address.
 * @throws PageError if it is not such a trace, or has no page
 */
export function loadOfTrace(name: string, bytes: Uint8Array, isNamed?: (address: string) => boolean): KnownLoad {
  const json = readJson(new TextDecoder().decode(unpacked(name, bytes)));
  if (!json.ok) throw new PageError(name, `is not a trace of a browser: ${json.message}`);
  const listed = isObject(json.value) ? json.value['traceEvents'] : json.value;
  if (!Array.isArray(listed)) throw new PageError(name, 'is not a trace of a browser: it has no traceEvents');
  const events = listed.filter(isEvent);
  const load = requestsOfTrace(events, isNamed);
  if (load === undefined) {
    throw new PageError(name, 'has no request for a page: record it with the category devtools.timeline');
  }
  const requests = load.requests.slice(0, MOST_REQUESTS);
  return {...load, requests, browser: 'Chromium (trace)', ...NOT_SEEN};
}

/**
 * Makes a page from a trace. A trace has no contents, so each file is a placeholder of the recorded size. The
 * placeholder of the HTML names the objects that the browser found in the real HTML. Placeholders of pictures are
 * transparent.
 * @throws PageError
 */
export function traceSource(name: string, bytes: Uint8Array): LocalSource {
  const load = loadOfTrace(name, bytes);
  const [document] = load.requests;
  const answers = load.requests.flatMap(({type, address, endMs}) =>
    type === 'data' && endMs !== null ? [{address, endMs}] : [],
  );
  const requests = load.requests.map(request => afterAnswer(withoutInline(request, document), document, answers));
  const recorded = {...load, requests};
  const byAddress = new Map<string, ObservedRequest>();
  for (const request of requests) {
    const address = withoutFragment(request.address);
    if (!byAddress.has(address)) byAddress.set(address, request);
  }
  const html = document === undefined ? '' : placeholderHtml(document, [...byAddress.values()], 'a trace');
  return {
    address: withoutFragment(document?.address ?? ''),
    recorded,
    nameOf: address => address,
    get: async address => {
      const request = byAddress.get(withoutFragment(address));
      if (request === undefined) throw new FetchError('the trace has no request for it');
      const {type} = request;
      if (request === requests[0]) return {address, contentType: 'text/html; charset=utf-8', body: Buffer.from(html)};
      if (request.endMs === null) throw new FetchError('it did not arrive in the trace');
      return {address, contentType: CONTENT_TYPES[type], body: placeholder(type, sizeOf(request))};
    },
    unused: () => ['the contents of all files: the trace has only their sizes, so the page shows placeholders'],
  };
}

/** The placeholder of the HTML has no inline scripts, so a request of an inline script counts as caused by the HTML. */
function withoutInline(request: ObservedRequest, document: ObservedRequest | undefined): ObservedRequest {
  const {cause} = request;
  if (
    document === undefined ||
    cause.by !== 'script' ||
    withoutFragment(cause.address) !== withoutFragment(document.address)
  )
    return request;
  return {...request, cause: {by: 'html', address: document.address}};
}

/**
 * Corrects the cause of a request. Chromium also names the parser as the initiator of requests that scripts make before
 * the parser has finished. The HTML itself would show whether it names an object, but a trace does not contain the
 * HTML. So a request counts as caused by an answer to `fetch` or XMLHttpRequest if it was made just after this answer
 * and after the HTML had arrived.
 */
function afterAnswer(
  request: ObservedRequest,
  document: ObservedRequest | undefined,
  answers: readonly {readonly address: string; readonly endMs: number}[],
): ObservedRequest {
  const {cause, startMs, waitMs} = request;
  const htmlMs = document?.endMs ?? null;
  if (cause.by !== 'html' || waitMs > 0 || htmlMs === null || startMs <= htmlMs) return request;
  const answer = answerBefore(startMs, answers);
  if (answer === undefined) return request;
  return {...request, cause: {by: 'data', address: answer.address}, cpuMs: startMs - answer.endMs};
}

/** @throws PageError */
function unpacked(name: string, bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const whole = gunzipped(bytes, MOST_BYTES);
  if (whole === 'too large') throw new PageError(name, `cannot be unpacked: it has more than ${MOST_BYTES} bytes`);
  if (whole === undefined) throw new PageError(name, 'cannot be unpacked: it is damaged');
  return whole;
}

function isEvent(event: unknown): event is TraceEvent {
  if (!isObject(event)) return false;
  const {name, ts, dur, args}: {[key: string]: unknown} = event;
  const data = isObject(args) ? args['data'] : undefined;
  return (
    typeof name === 'string' &&
    Number.isFinite(ts) &&
    (dur === undefined || Number.isFinite(dur)) &&
    (args === undefined || isObject(args)) &&
    (data === undefined || isObject(data))
  );
}

/** Largest number of requests that are kept. A page has at most a thousand objects. */
const MOST_REQUESTS = 10_000;
/** Largest size of an unpacked trace. */
const MOST_BYTES = 400_000_000;
