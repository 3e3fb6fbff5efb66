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
import {endToEnd, endToEndTrailers, type Framing, framingOf, hasTwoHosts, via} from './fields.ts';
import {ShimError} from './shimError.ts';

/** Where a request goes. */
export interface Route {
  /** How it gets there. */
  readonly transport: RequestOptions;
  /** The request's target and Host, as they stand in it (RFC 9112 §3.2). */
  readonly path: string;
  readonly host: string;
  /** In place of the same that go on; undefined: none goes on. */
  readonly fields: readonly (readonly [name: string, value: string | undefined])[];
  /** Until there is a connection. */
  readonly connectMs: number;
  /** For an answer's head. */
  readonly answerMs: number;
  /** What went wrong, as it is to be answered. */
  readonly explain: (error: Error) => ShimError;
  /**
   * Another way, where this one was closed before it answered, as one that was kept may be; for requests that may be
   * repeated (RFC 9110 §9.2.2). Undefined: there is none.
   */
  readonly again?: (error: Error) => Promise<Route> | undefined;
  /** Gives up what it has, where the request does not go. */
  readonly end?: () => void;
}

/** A request that came, and where its answer goes. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Passes a request on, and its answer back, as a proxy does (RFC 9110 §7.6): bodies as they come, no faster than they are
 * taken. An end that goes ends the other's, and an answer that is cut never looks whole.
 */
export function forward(exchange: Exchange, route: Route): void {
  const {request, response} = exchange;
  // nobody waits for it any more, or its connection ends with an answer before it (RFC 9112 §9.6)
  if (response.destroyed || (ending.get(request.socket) ?? response) !== response) {
    route.end?.();
    return;
  }
  const upstream = opened(exchange, route);
  if (upstream === undefined) return;
  // Node reads nothing behind a request that asks for another protocol
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

/** Says why there is no answer of the one who was asked. */
export function answer({request, response}: Exchange, {status, message}: ShimError): void {
  if (response.headersSent || response.destroyed) {
    cut(response);
    return;
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  ending.set(request.socket, response);
  const text = `interleave shim: ${message}\n`;
  // what else comes of the request is not for anybody
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    Connection: 'close',
  });
  response.end(text);
  request.resume();
}

/** Connections and their last answers: what was read behind the request of one goes nowhere. */
const ending = new WeakMap<object, ServerResponse>();

/** llhttp goes by Proxy-Connection, too, which RFC 9112 §9.3 does not know. */
function isLast({httpVersion, headers}: IncomingMessage): boolean {
  return httpVersion === '1.0' && !/\bkeep-alive\b/i.test(headers.connection ?? '');
}

/** Its head is there; undefined: it is of no use, and that is answered. */
function opened(exchange: Exchange, route: Route): ClientRequest | undefined {
  try {
    return headed(exchange.request, route);
  } catch (error) {
    route.end?.();
    answer(exchange, error instanceof ShimError ? error : new ShimError(400, messageOf(error)));
    return undefined;
  }
}

/** @throws RangeError, ShimError, and what Node does of a head that cannot be */
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
    // Node would write such a head in UTF-8; whoever asked repeats it without the expectation (RFC 9110 §10.1.1)
    if (request.headers.expect !== undefined && !isAscii(route.path, request))
      throw new ShimError(417, 'a head that is not ASCII has to go without Expect');
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

/** Node would not, of a GET's or DELETE's body. */
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
    // chunks are Node's: a program of HTTP/1.0 is not to have them
    if (framing === 'length') frame(response, framing, incoming);
    // what it is made of is checked here; it leaves with the first of its body
    response.writeHead(incoming.statusCode ?? 502, reasonOf(incoming));
  } catch (error) {
    upstream.destroy();
    answer(exchange, new ShimError(502, `the answer has ${messageOf(error)}`));
    return;
  }
  incoming.once('end', () => {
    if (request.complete) return;
    // it is answered, and nobody takes the rest of it
    request.unpipe(upstream);
    request.resume();
    upstream.destroy();
  });
  passBody(incoming, response);
}

function passRequest(request: IncomingMessage, upstream: ClientRequest): void {
  if (framingOf(request) !== 'none') passBody(request, upstream);
  else {
    // to its end, from when the answer is waited for
    request.resume();
    upstream.end();
  }
}

/** No request goes on with its Upgrade (RFC 9110 §15.2.2). */
const NOT_ASKED = 'status 101, which no request asks for';

/** Without what a head cannot have: it tells nobody anything (RFC 9112 §4). */
function reasonOf({statusMessage = ''}: IncomingMessage): string {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(statusMessage) ? statusMessage : '';
}

/** Its head does not wait for a body that does, as one that expects a 100 (RFC 9110 §10.1.1). */
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
    // flushHeaders would make UTF-8 of what is none
    if (!to.headersSent && !to.destroyed) to.write('', 'latin1');
  });
}

/** Nothing of it is gone, and asking twice is as good as once. */
function mayRepeat({method = '', headers}: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return !hasBody && REPEATABLE.has(method);
}

const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** RFC 9110 §15.2: interim answers go on. */
function inform(response: ServerResponse, status: number, link: string | string[] | undefined): void {
  if (response.headersSent) return;
  if (status === 100) response.writeContinue();
  else if (status === 102) response.writeProcessing();
  else if (status === 103 && link !== undefined) {
    try {
      response.writeEarlyHints({link});
    } catch {
      // what Node does not write is no reason to end: hints can be done without
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

/** What has left of the answer must not look whole: also where the connection's end is the answer's (RFC 9112 §6.3). */
function cut({socket}: ServerResponse): void {
  if (socket instanceof Socket) socket.resetAndDestroy();
  else (socket as {destroy(error: Error): void} | null)?.destroy(new ShimError(502, 'the answer was cut'));
}
