import type {GatewayLimits} from '../base/gatewayLimits.ts';
import {FetchError} from '../base/pageErrors.ts';
import type {BrowserResponse, Fetcher} from '../fetch/fetcher.ts';
import type {DevTools, DevToolsEvent, DevToolsValues} from './devTools.ts';

/** A response that the gateway passed to the browser. */
export interface Relayed {
  readonly address: string;
  readonly method: string;
  /**
   * Whether the browser requested the HTML of the page itself, not of an iframe. The response may also be a redirect or
   * an error.
   */
  readonly isPage: boolean;
  readonly response: BrowserResponse;
}

/** A request that the gateway refused, or that failed. The browser got no response to it. */
export interface Refused {
  /** Whether the address is not public. */
  readonly isPrivate: boolean;
  readonly address: string;
  readonly why: string;
}

export interface RelayOptions {
  readonly tools: DevTools;
  readonly fetcher: Pick<Fetcher, 'exchange'>;
  readonly limits: GatewayLimits;
  /** Replaces the HTML of the page before the browser gets it. The result is UTF-8. */
  readonly edit: (html: BrowserResponse) => Uint8Array;
  /** Returns the id of the page's main frame. */
  readonly frameId: () => string;
  readonly onProgress: (done: number, all: number) => void;
}

/**
 * Pauses all requests of a browser (domain Fetch of the DevTools protocol), and answers them through the gateway, which
 * checks addresses and limits. A request that is not paused here goes to the browser's proxy. Nobody listens at the
 * proxy's port, so the request fails.
 */
export class Relay {
  readonly relayed: Relayed[] = [];
  readonly refused: Refused[] = [];
  readonly #options: RelayOptions;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #asked = 0;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Number of requests that are not answered yet. */
  get open(): number {
    return this.#running + this.#waiting.length;
  }

  /** Makes a target of the browser pause its requests. */
  async attach(sessionId: string): Promise<void> {
    await this.#options.tools.send('Fetch.enable', {patterns: [{urlPattern: '*', requestStage: 'Request'}]}, sessionId);
  }

  /** Call this for each event of the DevTools. */
  handleEvent({method, params, sessionId}: DevToolsEvent): void {
    if (method !== 'Fetch.requestPaused') return;
    void this.#inTurn(() => this.#answer(params, sessionId)).catch(() => undefined);
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    const {limits, onProgress} = this.#options;
    this.#asked += 1;
    if (this.#running >= limits.parallel) await new Promise<void>(go => this.#waiting.push(go));
    this.#running += 1;
    try {
      await work();
    } finally {
      this.#running -= 1;
      onProgress(this.#asked - this.open, this.#asked);
      // `open` counts the next request neither as waiting nor as running until its promise continues
      this.#waiting.shift()?.();
    }
  }

  async #answer(
    {requestId, request, resourceType, frameId}: DevToolsValues,
    sessionId: string | undefined,
  ): Promise<void> {
    const {tools, limits} = this.#options;
    const address = String(request.url);
    try {
      if (this.#asked > limits.objects) throw new FetchError(`the page has more than ${limits.objects} objects`);
      const method = String(request.method);
      const body = bodyOf(request);
      const headers = Object.entries(request.headers as {[name: string]: unknown})
        .filter(([name]) => !NOT_PASSED.has(name.toLowerCase()))
        .map(([name, value]) => [name, String(value)] as const);
      const response = await this.#options.fetcher.exchange({address, method, headers, body});
      const isPage = resourceType === 'Document' && frameId === this.#options.frameId();
      this.relayed.push({address, method, isPage, response});
      await tools.send('Fetch.fulfillRequest', {requestId, ...this.#fulfilled(response, isPage)}, sessionId);
    } catch (error) {
      if (error instanceof FetchError) this.refused.push({address, why: error.message, isPrivate: error.isPrivate});
      await tools.send('Fetch.failRequest', {requestId, errorReason: 'BlockedByClient'}, sessionId);
    }
  }

  #fulfilled(response: BrowserResponse, isPage: boolean): DevToolsValues {
    const isEdited = isPage && response.status === 200;
    const headers = response.headers.filter(([name]) => !REPLACED.has(name) && !(isEdited && name === 'content-type'));
    return {
      responseCode: response.status,
      responseHeaders: [...headers, ...(isEdited ? [['content-type', 'text/html; charset=utf-8'] as const] : [])].map(
        ([name, value]) => ({name, value}),
      ),
      body: Buffer.from(isEdited ? this.#options.edit(response) : response.body).toString('base64'),
    };
  }
}

/** The body of a request. @throws FetchError if it is too large */
function bodyOf({postDataEntries, hasPostData}: DevToolsValues): Uint8Array | undefined {
  if (hasPostData !== true) return undefined;
  const entries = (postDataEntries ?? []) as readonly {readonly bytes?: string}[];
  const body = Buffer.concat(entries.map(({bytes = ''}) => Buffer.from(bytes, 'base64')));
  if (body.length > MOST_SENT) throw new FetchError(`it sends more than ${MOST_SENT} bytes`);
  return body;
}

/** Largest size of the body of a request, in bytes. */
const MOST_SENT = 1_000_000;

/** Fields of requests that belong to the gateway's own connection (RFC 9110 §7.6.1), or that the gateway sets. */
const NOT_PASSED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Fields of responses that the browser does not receive. `alt-svc` would make the browser bypass the gateway. The other
 * fields would be wrong for the browser, because the gateway has decoded the body and uses a connection of its own.
 */
const REPLACED: ReadonlySet<string> = new Set([
  'alt-svc',
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'transfer-encoding',
]);
