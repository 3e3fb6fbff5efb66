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

/** Where a request goes. */
export interface Route {
  /** How to connect to the next hop. */
  readonly transport: RequestOptions;
  /** The request target, and the Host field, exactly as they are to be sent (RFC 9112 §3.2). */
  readonly path: string;
  readonly host: string;
  /** Fields that replace those of the same name in the request. A field whose value is undefined is removed. */
  readonly fields: readonly (readonly [name: string, value: string | undefined])[];
  /** Most ms until the connection is made. */
  readonly connectMs: number;
  /** Most ms until the answer's head has come. */
  readonly answerMs: number;
  /** Turns an error into the answer that says what went wrong. */
  readonly explain: (error: Error) => ShimError;
  /**
   * Returns another route if this one was closed before it answered, as can happen to a connection that was left open
   * for more requests. It is only used for requests that may be repeated (RFC 9110 §9.2.2). Undefined if there is no
   * other route.
   */
  readonly again?: (error: Error) => Promise<Route> | undefined;
  /** Frees what the route occupies, if the request is not sent that way. */
  readonly end?: () => void;
}

/** A request that was received, and the response to it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Passes a request on and its answer back, as a proxy does (RFC 9110 §7.6). Each part of a body is passed on as it
 * comes, but no faster than the receiver reads. If one side closes, the other is closed too, and an answer that was cut
 * never looks complete.
 */
export function forward(exchange: Exchange, route: Route): void {
  const {request, response} = exchange;
  // nobody waits for this answer any more, or the connection ends with an earlier answer (RFC 9112 §9.6)
  if (response.destroyed || (ending.get(request.socket) ?? response) !== response) {
    route.end?.();
    return;
  }
  const upstream = opened(exchange, route);
  if (upstream === undefined) return;
  // if a request asks for an upgrade, Node reads nothing that follows it
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

/** Answers with an error of the shim instead of the server's answer. */
export function answer({request, response}: Exchange, {status, message}: ShimError): void {
  if (response.headersSent || response.destroyed) {
    cut(response);
    return;
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  ending.set(request.socket, response);
  const text = `interleave shim: ${message}\n`;
  // the rest of the request is read and dropped
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    Connection: 'close',
  });
  response.end(text);
  request.resume();
}

/** The last answer of each connection that is to end. Whatever was read after the last request is not passed on. */
const ending = new WeakMap<object, ServerResponse>();

/**
 * Whether the connection ends with this request. llhttp also heeds Proxy-Connection, but that field is not part of RFC
 * 9112 §9.3.
 */
function isLast({httpVersion, headers}: IncomingMessage): boolean {
  return httpVersion === '1.0' && !/\bkeep-alive\b/i.test(headers.connection ?? '');
}

/** Creates the request to the server and sets its head. If that fails, answers with the error and returns undefined. */
function opened(exchange: Exchange, route: Route): ClientRequest | undefined {
  try {
    return headed(exchange.request, route);
  } catch (error) {
    route.end?.();
    answer(exchange, error instanceof ShimError ? error : new ShimError(400, messageOf(error)));
    return undefined;
  }
}

/** @throws RangeError, ShimError, and what Node throws for an invalid head */
function headed(request: IncomingMessage, route: Route): ClientRequest {
  const [framing, {method = 'GET'}] = [framingOf(request), request];
  // RFC 9112 §3.2, §3.2.4
  if (hasTwoHosts(request)) throw new RangeError('two Host fields');
  if (route.path === '*' && method !== 'OPTIONS') throw new RangeError(`${method} *: only OPTIONS has that`);
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
    // Node would write such a head in UTF-8. The client repeats the request without the expectation (RFC 9110 §10.1.1).
    if (request.headers.expect !== undefined && !isAscii(route.path, request))
      throw new ShimError(417, 'a head that is not ASCII must not have Expect');
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

/** Sets the field that frames the body. Node does not set it for GET and DELETE. */
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
    // Node decides whether to send chunks, because a client of HTTP/1.0 must not receive them
    if (framing === 'length') frame(response, framing, incoming);
    // writeHead checks the head; it is sent together with the first bytes of the body
    response.writeHead(incoming.statusCode ?? 502, reasonOf(incoming));
  } catch (error) {
    upstream.destroy();
    answer(exchange, new ShimError(502, `the answer has ${messageOf(error)}`));
    return;
  }
  incoming.once('end', () => {
    if (request.complete) return;
    // the answer is complete, so nobody reads the rest of the request
    request.unpipe(upstream);
    request.resume();
    upstream.destroy();
  });
  passBody(incoming, response);
}

function passRequest(request: IncomingMessage, upstream: ClientRequest): void {
  if (framingOf(request) !== 'none') passBody(request, upstream);
  else {
    // the time limit for the answer starts when the request has been read to its end
    request.resume();
    upstream.end();
  }
}

/** Servers have no reason to switch protocols: the Upgrade field of a request is not passed on (RFC 9110 §15.2.2). */
const NOT_ASKED = 'status 101, which no request asks for';

/** The reason phrase of an answer. Empty if a head cannot contain it: programs ignore it anyway (RFC 9112 §4). */
function reasonOf({statusMessage = ''}: IncomingMessage): string {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(statusMessage) ? statusMessage : '';
}

/**
 * Passes a body on. The head is sent without waiting if the body comes late, as it does after an expected 100 (RFC 9110
 * §10.1.1).
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
    // flushHeaders would write the head in UTF-8
    if (!to.headersSent && !to.destroyed) to.write('', 'latin1');
  });
}

/**
 * Whether the request may be sent again: it has no body, and sending it twice has the same effect as sending it once.
 */
function mayRepeat({method = '', headers}: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return !hasBody && REPEATABLE.has(method);
}

const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Passes interim answers on (RFC 9110 §15.2). */
function inform(response: ServerResponse, status: number, link: string | string[] | undefined): void {
  if (response.headersSent) return;
  if (status === 100) response.writeContinue();
  else if (status === 102) response.writeProcessing();
  else if (status === 103 && link !== undefined) {
    try {
      response.writeEarlyHints({link});
    } catch {
      // hints that Node cannot write are left out, as nothing depends on them
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
 * Cuts a response off in a way that cannot look complete, even if the end of the connection marks the end of the answer
 * (RFC 9112 §6.3).
 */
function cut({socket}: ServerResponse): void {
  if (socket instanceof Socket) socket.resetAndDestroy();
  else (socket as {destroy(error: Error): void} | null)?.destroy(new ShimError(502, 'the answer was cut'));
}
