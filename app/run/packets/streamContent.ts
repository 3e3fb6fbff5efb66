import {decodeHttp1, isHttp1} from './http1.ts';
import {decodeHttp2, isHttp2} from './http2.ts';
import {decodeMessagePipe, isMessagePipe} from './messagePipe.ts';
import type {Part} from './part.ts';
import type {Slice} from './slice.ts';
import {applicationData, decodeTls, isTls} from './tls.ts';

/**
 * Decodes the data of a TCP connection in a packet: TLS records or HTTP. The start of the end's stream tells which,
 * because ports do not. `peer` is the other end's stream.
 */
export function decodeContent(slice: Slice, peer: Uint8Array): readonly Part[] {
  if (slice.to <= slice.from) return [];
  if (!isTls(slice.stream)) return decodeHttp(slice, peer);
  const heard = isTls(peer) ? applicationData(peer) : peer;
  return decodeTls(slice, inner => decodeHttp(inner, heard));
}

function decodeHttp(slice: Slice, peer: Uint8Array): readonly Part[] {
  const {stream} = slice;
  if (isHttp2(stream)) return decodeHttp2(slice, peer);
  if (isHttp1(stream)) return decodeHttp1(slice, peer);
  return isMessagePipe(stream) ? decodeMessagePipe(slice, peer) : [];
}
