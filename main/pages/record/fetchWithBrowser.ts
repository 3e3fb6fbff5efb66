import {absoluteAddress, withoutFragment} from '../base/absoluteAddress.ts';
import type {GatewayLimits} from '../base/gatewayLimits.ts';
import {FetchError} from '../base/pageErrors.ts';
import type {Fetched, Fetcher} from '../fetch/fetcher.ts';
import {type GatherOptions, gather, type OtherObject} from '../fetch/gather.ts';
import {readHtml} from '../fetch/readText.ts';
import type {Bundle} from '../store/bundle.ts';
import {contentTypeOf, fieldOf} from './headers.ts';
import {namedIn, sourceOf, VIEWPORT, withRecording} from './recordedBundle.ts';
import {recordLoad} from './recordLoad.ts';
import type {Relayed} from './relay.ts';
import {type ObservedRequest, requestsOfTrace} from './traceRequests.ts';

export interface RecordOptions extends Pick<GatherOptions, 'convert'> {
  readonly limits: GatewayLimits;
  readonly fetcher: Pick<Fetcher, 'exchange'>;
  readonly onProgress: (done: number, all: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Fetches a page with an installed Chromium, which runs the page's scripts. The gateway answers all requests of the
 * browser. The bundle contains the objects that the browser requested, and a recording of what caused each request.
 * @throws FetchError if there is no browser, or if the page cannot be loaded; the signal's reason after an abort
 */
export async function fetchWithBrowser(address: string, options: RecordOptions): Promise<Bundle> {
  const {limits, fetcher, onProgress, signal, convert} = options;
  const load = await recordLoad(address, {fetcher, limits, onProgress, signal});
  const status = load.relayed.findLast(({isPage}) => isPage)?.response.status;
  if (status !== undefined && status !== 200) throw new FetchError(`the server answers ${status}`);
  const responses = responsesOf(load.relayed);
  const page = responses.get(withoutFragment(address));
  const html = page === undefined ? '' : readHtml(page.body, page.contentType);
  const observed = requestsOfTrace(load.trace, namedIn(html));
  if (observed === undefined) throw new FetchError('the browser loaded no page');
  const bundle = await gather(address, {
    limits,
    date: new Date(),
    get: sourceOf(responses),
    others: observed.requests.slice(1).flatMap(request => otherOf(request, responses)),
    ...(convert === undefined ? {} : {convert}),
  });
  // For a request that was refused, `gather` only knows that there is no response. The gateway's own reason says more.
  const refused = new Set(load.refused.map(each => each.address));
  const others = bundle.document.leftOut.filter(each => !refused.has(each.address));
  const document = {
    ...bundle.document,
    notLoaded: [],
    leftOut: [...others, ...load.refused.map(({address, why}) => ({address, why}))],
  };
  return withRecording(
    {...bundle, document},
    {
      ...observed,
      browser: load.browser,
      viewport: VIEWPORT,
      inserted: load.seen.inserted,
      boxes: load.seen.boxes,
    },
  );
}

/**
 * The responses to GET requests after redirects, keyed by the requested address. Only the first response from each
 * address counts. Responses with a status other than 200 are left out.
 */
function responsesOf(relayed: readonly Relayed[]): ReadonlyMap<string, Fetched> {
  const first = new Map<string, Relayed>();
  for (const each of relayed) {
    if (each.method === 'GET' && !first.has(withoutFragment(each.address)))
      first.set(withoutFragment(each.address), each);
  }
  const responses = new Map<string, Fetched>();
  for (const address of first.keys()) {
    const last = followed(first, address);
    if (last === undefined || last.response.status !== 200) continue;
    const {body} = last.response;
    responses.set(address, {address: withoutFragment(last.address), contentType: contentTypeOf(last.response), body});
  }
  return responses;
}

/** Returns the response at the end of the redirects that the browser followed from an address. */
function followed(relayed: ReadonlyMap<string, Relayed>, address: string): Relayed | undefined {
  const seen = new Set<string>();
  for (let at: string | undefined = address; at !== undefined && !seen.has(at); ) {
    seen.add(at);
    const found = relayed.get(at);
    if (found === undefined) return undefined;
    const location = fieldOf(found.response, 'location');
    if (found.response.status < 300 || found.response.status > 399 || location === undefined) return found;
    const target = absoluteAddress(location, found.address);
    at = target && withoutFragment(target);
  }
  return undefined;
}

function otherOf({address, type}: ObservedRequest, responses: ReadonlyMap<string, Fetched>): readonly OtherObject[] {
  const response = responses.get(withoutFragment(address));
  if (response === undefined) return [];
  const kind = type === 'image' || type === 'font' || type === 'style' ? type : 'other';
  return [{address: response.address, kind}];
}
