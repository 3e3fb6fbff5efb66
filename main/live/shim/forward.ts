import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingMessage,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import {Socket} from 'node:net';
import {messageOf} from '../../../app/base/text.ts';
import {endToEnd, endToEndTrailers, type Framing, framingOf, hasTwoHosts, via} from './forwardedFields.ts';
import {ShimError} from './shimError.ts';

/** The next hop of a request. */
export interface Route {
  /** How to connect to the next hop. */
  readonly transport: RequestOptions;
  /** The request target, exactly as it should be sent (RFC 9112 §3.2). */
  readonly path: string;
  /** The Host field, exactly as it should be sent. */
  readonly host: string;
  /** Fields that replace those of the same name in the request. A field whose value is undefined is removed. */
  readonly fields: readonly (readonly [name: string, value: string | undefined])[];
  /** Longest time until the connection is established. */
  readonly connectMs: number;
  /** Longest time from the end of the request to the end of the answer's head. */
  readonly answerMs: number;
  /** Turns an error into the answer for the client. */
  readonly explain: (error: Error) => ShimError;
  /**
   * Called with the error if the next hop failed before an answer was received. For example, a connection that was kept
   * open for further requests may have closed. Returns another route, or undefined if there is none. It is called only
   * for requests that may be repeated (RFC 9110 §9.2.2).
   */
  readonly again?: (error: Error) => Promise<Route> | undefined;
  /** Frees the route's connection. Called if the request is not sent on this route. */
  readonly end?: () => void;
}

/** A request that was received, and the response to it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Forwards a request and its answer, as a proxy does (RFC 9110 §7.6). Each part of a body is forwarded when it is
 * received, but no faster than the receiver reads. If one side closes early, the other side is also closed. An
 * incomplete answer never looks complete.
 */
export function forward(exchange: Exchange, route: Route): void {
  const {request, response} = exchange;
  // Nothing is forwarded if the client has disconnected, or if the connection ends with an earlier answer (RFC 9112
  // §9.6).
  if (response.destroyed || (ending.get(request.socket) ?? response) !== response) {
    route.end?.();
    return;
  }
  const upstream = opened(exchange, route);
  if (upstream === undefined) return;
  // Node reads nothing after a request with an Upgrade field, so the connection must end.
  if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
  if (isLast(request)) {
    response.shouldKeepAlive = false;
    ending.set(request.socket, response);
  }
  response.sendDate = false;
  response.once('close', () => {
    if (!response.writableFinished) upstream.destroy();
  });
  upstream.on('error', error => {
    if (response.headersSent || response.destroyed) return cut(response);
    const again = mayRepeat(request) ? route.again?.(error) : undefined;
    if (again === undefined) return answer(exchange, route.explain(error));
    again.then(
      next => forward(exchange, next),
      (reason: Error) => answer(exchange, route.explain(reason)),
    );
  });
  upstream.on('information', ({statusCode, headers}) => inform(response, statusCode, headers['link']));
  upstream.once('response', incoming => passAnswer(exchange, upstream, incoming));
  upstream.once('upgrade', (_, socket) => {
    socket.destroy();
    answer(exchange, new ShimError(502, `the answer has ${NOT_ASKED}`));
  });
  passRequest(request, upstream);
  endLate(exchange, upstream, route);
}

/** Answers a request with an error of the shim. */
export function answer({request, response}: Exchange, {status, message}: ShimError): void {
  if (response.headersSent || response.destroyed) {
    cut(response);
    return;
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  ending.set(request.socket, response);
  const text = `interleave shim: ${message}\n`;
  // The rest of the request is read and dropped by `resume` below.
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    Connection: 'close',
  });
  response.end(text);
  request.resume();
}

/** The last answer of each connection that will end. Requests after it are not forwarded. */
const ending = new WeakMap<object, ServerResponse>();

/**
 * Whether this is a request of HTTP/1.0 after which the connection ends, by RFC 9112 §9.3. Node's own flag is not used,
 * because Node also obeys the field Proxy-Connection, which is not part of that rule.
 */
function isLast({httpVersion, headers}: IncomingMessage): boolean {
  return httpVersion === '1.0' && !/\bkeep-alive\b/i.test(headers.connection ?? '');
}

/**
 * Creates the request to the next hop and sets its head. If this fails, answers with the error and returns undefined.
 */
function opened(exchange: Exchange, route: Route): ClientRequest | undefined {
  try {
    return headed(exchange.request, route);
  } catch (error) {
    route.end?.();
    const why = error instanceof RangeError ? `the request has ${error.message}` : messageOf(error);
    answer(exchange, error instanceof ShimError ? error : new ShimError(400, why));
    return undefined;
  }
}

/** @throws RangeError or ShimError if the request must not be forwarded; what Node throws for an invalid head */
function headed(request: IncomingMessage, route: Route): ClientRequest {
  const [framing, {method = 'GET'}] = [framingOf(request), request];
  // A request has one Host field (RFC 9112 §3.2), and only OPTIONS may have the target * (§3.2.4).
  if (hasTwoHosts(request)) throw new RangeError('two Host fields');
  if (route.path === '*' && method !== 'OPTIONS')
    throw new RangeError(`the target * with ${method}, but only OPTIONS may have it`);
  const upstream = httpRequest({...route.transport, method, path: route.path, setHost: false});
  try {
    upstream.setHeader('Host', route.host);
    const own = new Set(['host', 'via', ...route.fields.map(([name]) => name.toLowerCase())]);
    for (const [name, value] of endToEnd(request)) {
      if (!own.has(name.toLowerCase())) upstream.appendHeader(name, value);
    }
    for (const [name, value] of route.fields) {
      if (value !== undefined) upstream.setHeader(name, value);
    }
    upstream.setHeader('Via', via(request));
    // Node encodes the head of a request with Expect in UTF-8, so characters that are not ASCII would change. After a
    // 417 the client repeats the request without Expect (RFC 9110 §10.1.1).
    if (request.headers.expect !== undefined && !isAscii(route.path, request))
      throw new ShimError(417, 'a request with Expect must have an ASCII head: repeat it without Expect');
    frame(upstream, framing, request);
    return upstream;
  } catch (error) {
    upstream.on('error', () => undefined).destroy();
    throw error;
  }
}

function isAscii(path: string, {rawHeaders}: IncomingMessage): boolean {
  return [path, ...rawHeaders].every(text => !/[\x80-\xff]/.test(text));
}

/** Sets the field that frames the body. Node does not set this field for GET and DELETE. */
function frame(message: OutgoingMessage, framing: Framing, {headers}: IncomingMessage): void {
  if (framing === 'chunked') message.setHeader('Transfer-Encoding', 'chunked');
  if (framing === 'length') message.setHeader('Content-Length', headers['content-length'] ?? 0);
}

function passAnswer(exchange: Exchange, upstream: ClientRequest, incoming: IncomingMessage): void {
  const {request, response} = exchange;
  incoming.on('error', () => cut(response));
  try {
    const framing = framingOf(incoming);
    if (incoming.statusCode === 101) throw new RangeError(NOT_ASKED);
    for (const [name, value] of endToEnd(incoming)) {
      if (name.toLowerCase() !== 'via') response.appendHeader(name, value);
    }
    response.setHeader('Via', via(incoming));
    // For other framings Node decides whether to send chunks, because a client of HTTP/1.0 must not receive chunks.
    if (framing === 'length') frame(response, framing, incoming);
    // `writeHead` checks the head. Node sends the head together with the first bytes of the body.
    response.writeHead(incoming.statusCode ?? 502, reasonOf(incoming));
  } catch (error) {
    upstream.destroy();
    answer(exchange, new ShimError(502, `the answer has ${messageOf(error)}`));
    return;
  }
  incoming.once('end', () => {
    if (request.complete) return;
    // The answer is complete, so the server does not read the rest of the request.
    request.unpipe(upstream);
    request.resume();
    upstream.destroy();
  });
  passBody(incoming, response);
}

function passRequest(request: IncomingMessage, upstream: ClientRequest): void {
  if (framingOf(request) !== 'none') passBody(request, upstream);
  else {
    // The time limit for the answer starts when the whole request has been read, so the request is read here.
    request.resume();
    upstream.end();
  }
}

/** The Upgrade field of a request is not forwarded, so a server must not switch protocols (RFC 9110 §15.2.2). */
const NOT_ASKED = 'status 101, which no request asks for';

/**
 * The reason phrase of an answer. Empty if it has characters that a head cannot contain. Clients ignore the reason
 * phrase (RFC 9112 §4).
 */
function reasonOf({statusMessage = ''}: IncomingMessage): string {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(statusMessage) ? statusMessage : '';
}

/**
 * Forwards a body. The head is sent even if no part of the body is available yet. A client that expects a 100 sends the
 * body only after the server has answered the head (RFC 9110 §10.1.1).
 */
function passBody(from: IncomingMessage, to: OutgoingMessage): void {
  const finish = (): void => {
    if (to.destroyed) return;
    const trailers = endToEndTrailers(from);
    if (trailers.length > 0) to.addTrailers(trailers.map(([name, value]): [string, string] => [name, value]));
    to.end();
  };
  if (from.readableEnded) finish();
  else from.pipe(to, {end: false});
  from.once('end', finish);
  setImmediate(() => {
    // `flushHeaders` would encode the head in UTF-8.
    if (!to.headersSent && !to.destroyed) to.write('', 'latin1');
  });
}

/** Whether the request may be sent again. This is so if it has no body and its method only reads (RFC 9110 §9.2.1). */
function mayRepeat({method = '', headers}: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return !hasBody && REPEATABLE.has(method);
}

const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Forwards the interim answers 100 and 102 (RFC 9110 §15.2). If a 103 has a Link field, it is forwarded with this field
 * only. All other interim answers are dropped.
 */
function inform(response: ServerResponse, status: number, link: string | string[] | undefined): void {
  if (response.headersSent) return;
  if (status === 100) response.writeContinue();
  else if (status === 102) response.writeProcessing();
  else if (status === 103 && link !== undefined) {
    try {
      response.writeEarlyHints({link});
    } catch {
      // Hints that Node cannot write are left out. They are optional.
    }
  }
}

function endLate({request, response}: Exchange, upstream: ClientRequest, {connectMs, answerMs}: Route): void {
  const end = (ms: number, what: string): NodeJS.Timeout =>
    setTimeout(() => upstream.destroy(new ShimError(504, `${what} within ${ms / 1000} s`)), ms);
  upstream.once('socket', socket => {
    if (!socket.connecting) return;
    const connecting = end(connectMs, 'the server does not answer');
    for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(connecting));
  });
  let answering: NodeJS.Timeout | undefined;
  const start = (): void => {
    answering = end(answerMs, 'no answer');
  };
  if (request.readableEnded) start();
  else request.once('end', start);
  for (const event of ['response', 'close']) upstream.once(event, () => clearTimeout(answering));
  response.once('close', () => clearTimeout(answering));
}

/**
 * Ends an incomplete response with an error instead of an orderly close. The orderly end of a connection could mark the
 * end of the answer (RFC 9112 §6.3).
 */
function cut({socket}: ServerResponse): void {
  if (socket instanceof Socket) socket.resetAndDestroy();
  else (socket as {destroy(error: Error): void} | null)?.destroy(new ShimError(502, 'the answer was cut'));
}
