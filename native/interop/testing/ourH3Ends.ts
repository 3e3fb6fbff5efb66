// Runs our HTTP/3 client and server (app/http/h3) over our QUIC, which runs in another process (ourQuicPeer.ts).

import {joinedBytes} from '../../../app/http/buffers.ts';
import {H3Client} from '../../../app/http/h3/h3Client.ts';
import {H3Server, USUAL_QPACK_TABLE_BYTES} from '../../../app/http/h3/h3Server.ts';
import {pageResponses} from '../../../app/http/response.ts';
import type {Page} from '../../../app/page/page.ts';
import type {QuicPeer} from './ourQuicPeer.ts';

/** The received part of a response. */
export interface Loaded {
  readonly url: string;
  status: number;
  body: Uint8Array;
  /** The word `end` if the response is complete, or the reason why it stays incomplete; empty while it is loading. */
  end: string;
}

/**
 * Runs our HTTP/3 client on `peer`. The client requests all URLs together, as soon as it is connected. It closes the
 * connection when every response has either completed or failed.
 */
export async function load(peer: QuicPeer, urls: readonly string[]): Promise<readonly Loaded[]> {
  const loaded = urls.map(url => ({url, status: 0, body: new Uint8Array(0), end: ''}));
  const client = new H3Client({
    requestBytes: 200,
    scheduler: 'round-robin',
    onResponse: (object, event) => {
      const response = loaded[object] as Loaded;
      if (event.type === 'head') response.status = event.status;
      if (event.type === 'body') response.body = joinedBytes([response.body, event.bytes]);
      if (event.type === 'end') response.end = event.type;
      if (event.type === 'gone') response.end = event.reason;
    },
  });
  for await (const event of peer.events()) {
    if (event.type === 'connected') for (const [object, url] of urls.entries()) client.request(object, url);
    if (event.type === 'data') client.handleBytes(event.stream, event.bytes);
    if (event.type === 'finished') client.handleFinished(event.stream);
    if (event.type === 'reset') client.handleReset(event.stream, event.code);
    if (event.type === 'closed') client.handleGone(event.reason);
    for (let next = client.poll(); next !== undefined; next = client.poll()) {
      peer.write(next.stream, next.bytes, next.isEnd);
    }
    if (loaded.every(({end}) => end !== '')) peer.close();
  }
  return loaded;
}

/** Runs our HTTP/3 server on `peer`, for one connection. */
export async function serve(peer: QuicPeer, page: Page, onPort: (port: number) => void): Promise<void> {
  const server = new H3Server({
    respond: pageResponses(page),
    thinkNs: 0,
    scheduler: 'round-robin',
    qpackTableBytes: USUAL_QPACK_TABLE_BYTES,
  });
  for await (const event of peer.events()) {
    if (event.type === 'port') onPort(event.port);
    if (event.type === 'data') server.handleBytes(event.stream, event.bytes, 0);
    if (event.type === 'finished') server.handleFinished(event.stream, 0);
    if (event.type === 'reset') server.handleReset(event.stream);
    const poll = () => server.pollFrames(0) ?? server.pollData();
    for (let next = poll(); next !== undefined; next = poll()) {
      peer.write(next.stream, next.bytes, next.isEnd);
    }
  }
}
