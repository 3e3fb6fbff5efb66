import type {IncomingMessage} from 'node:http';
import {readJson} from '../../../app/base/json.ts';
import {anyText, boolean, check, object, optional, type Parser, required} from '../../../app/base/schema.ts';
import type {GatewayRequest} from './gatewayMessage.ts';

/** A request is wrong. It holds the status and message of the answer. */
export class AskingError extends Error {
  override readonly name = 'AskingError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Reads a request for a page. @throws AskingError if it is invalid, or far larger than a valid one */
export async function readRequest(request: IncomingMessage): Promise<GatewayRequest> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    if (bytes > MOST_BYTES) throw new AskingError(413, `a request has at most ${MOST_BYTES} bytes`);
    pieces.push(piece);
  }
  const json = readJson(Buffer.concat(pieces).toString());
  const parsed = json.ok ? check(gatewayRequest, json.value) : undefined;
  if (parsed?.ok) return parsed.value;
  throw new AskingError(400, parsed === undefined ? 'its body is not JSON' : parsed.problems[0].message);
}

const gatewayRequest: Parser<GatewayRequest> = object('a page', {
  address: required(anyText()),
  isProgressive: optional(boolean(), false),
  isPrivateAllowed: optional(boolean(), false),
});

const MOST_BYTES = 16_384;
