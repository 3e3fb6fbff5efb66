import {request as httpRequest, type IncomingMessage} from 'node:http';
import {connect, type LookupFunction, Socket} from 'node:net';
import {type Duplex, pipeline} from 'node:stream';
import {messageOf} from '../../../app/base/text.ts';
import {endToEnd, via} from './forwardedFields.ts';
import type {Lane} from './lane.ts';
import {ShimError} from './shimError.ts';

/** A received CONNECT request (RFC 9110 §9.3.6). */
export interface TunnelRequest {
  readonly request: IncomingMessage;
  readonly client: Duplex;
  /** Bytes that were read after the request's head. */
  readonly head: Buffer;
}

/**
 * Opens a tunnel from the near end of a shim. Sends the CONNECT request on `lane` to the far end, which is a gateway. A
 * lane is one HTTP/1.1 connection on a stream of the SCTP association between both ends.
 */
export function openTunnel({request, client, head: early}: TunnelRequest, lane: Lane): void {
  const upstream = httpRequest({
    method: 'CONNECT',
    path: request.url ?? '',
    createConnection: () => lane,
    setHost: false,
    headers: {Host: request.url ?? '', Via: via(request)},
  });
  const onEarlyEnd = (): void => void upstream.destroy();
  client.once('close', onEarlyEnd);
  upstream.on('error', (error: Error) => {
    refuseTunnel(client, error instanceof ShimError ? error : new ShimError(502, error.message));
  });
  upstream.once('connect', (answer, _, rest) => {
    client.off('close', onEarlyEnd);
    let head: string;
    try {
      head = answerHead(answer);
    } catch (error) {
      lane.destroy();
      return refuseTunnel(client, new ShimError(502, `the answer has ${messageOf(error)}`));
    }
    client.write(head, 'latin1');
    if (rest.length > 0) client.write(rest);
    join(client, lane, early);
  });
  upstream.end();
}

/** Returns the head to send to the client. @throws RangeError if the answer's fields cannot be forwarded */
function answerHead(answer: IncomingMessage): string {
  const {statusCode = 502, statusMessage = '', headers} = answer;
  if (statusCode === 200) return headOf(statusCode, statusMessage, []);
  // The body is forwarded unchanged, so it still needs the gateway's framing fields.
  const framing = FRAMING_FIELDS.flatMap(name => (headers[name] ? [[name, headers[name]] as const] : []));
  return headOf(statusCode, statusMessage, [...endToEnd(answer), ...framing]);
}

const FRAMING_FIELDS = ['content-length', 'transfer-encoding'] as const;

/** Opens a tunnel from the far end of a shim to the host. */
export function makeTunnel(
  {client, head}: TunnelRequest,
  to: {
    readonly host: string;
    readonly port: number;
    readonly lookup: LookupFunction;
    readonly connectMs: number;
  },
  explain: (error: Error) => ShimError,
): void {
  const {connectMs, ...at} = to;
  const socket = connect({...at, noDelay: true, allowHalfOpen: true, timeout: connectMs});
  const onEarlyError = (error: Error): void => refuseTunnel(client, explain(error));
  socket.once('error', onEarlyError);
  const late = `${at.host} does not answer within ${connectMs / 1000} s`;
  socket.once('timeout', () => socket.destroy(new ShimError(504, late)));
  const onEarlyEnd = (): void => void socket.destroy();
  client.once('close', onEarlyEnd);
  socket.once('connect', () => {
    socket.setTimeout(0);
    socket.off('error', onEarlyError);
    client.off('close', onEarlyEnd);
    client.write(headOf(200, 'Connection Established', []), 'latin1');
    join(client, socket, head);
  });
}

/** Answers a CONNECT request with the reason why no tunnel was opened. */
export function refuseTunnel(client: Duplex, {status, message}: ShimError): void {
  if (client.destroyed || !client.writable) return;
  const text = `interleave shim: ${message}\n`;
  const fields = [
    ['Content-Type', 'text/plain; charset=utf-8'],
    ['Content-Length', `${Buffer.byteLength(text)}`],
    ['Connection', 'close'],
  ] as const;
  client.end(`${headOf(status, 'No Tunnel', fields)}${text}`);
}

/** Copies bytes in both directions until both directions have ended or one has failed. */
function join(client: Duplex, far: Duplex, head: Buffer): void {
  if (head.length > 0) far.write(head);
  const onEnd = (error: Error | null | undefined): void => {
    if (!error) return;
    for (const end of [client, far]) {
      if (end instanceof Socket) end.resetAndDestroy();
      else end.destroy(error);
    }
  };
  pipeline(client, far, onEnd);
  pipeline(far, client, onEnd);
}

function headOf(status: number, text: string, fields: readonly (readonly [string, string])[]): string {
  return [`HTTP/1.1 ${status} ${text}`, ...fields.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');
}
