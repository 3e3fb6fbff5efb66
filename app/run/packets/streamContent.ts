import {decodeHttp1, isHttp1} from './http1.ts';
import {decodeHttp2, isHttp2} from './http2.ts';
import {decodeMessagePipe, isMessagePipe} from './messagePipe.ts';
import type {Part} from './part.ts';
import type {Slice} from './slice.ts';
import {applicationData, decodeTls, isTls} from './tls.ts';

/**
 * What lies in a packet of a TCP connection: TLS records, or what is inside of them, by what the end's stream begins
 * with, as no port tells it. `peer` is what the other end has sent.
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
