import {Buffer} from 'node:buffer';
import * as http2 from 'node:http2';
import {Duplex} from 'node:stream';
import {expect, test} from 'vitest';
import type {ResponseEvent} from '../exchange.ts';
import type {Response} from '../response.ts';
import {H2Client} from './h2Client.ts';
import type {OutgoingFrames} from './h2Peer.ts';
import {H2Server} from './h2Server.ts';

// These tests run our code against another implementation (nghttp2 in Node) over a stream in memory.

const bodies = [0, 1, 10_000, 16_384, 16_385, 400_000].map((bytes, i) =>
  Uint8Array.from({length: bytes}, (_, at) => (at * 7 + i) & 0xff),
);

test('our client loads from Node’s server, which uses a dynamic table and Huffman codes', async () => {
  const seen: http2.IncomingHttpHeaders[] = [];
  const got = new Map<number, Uint8Array[]>();
  const ended: number[] = [];
  let resolve = () => {};
  const promise = new Promise<void>(done => {
    resolve = done;
  });
  const onResponse = (object: number, event: ResponseEvent) => {
    if (event.type === 'body') got.set(object, [...(got.get(object) ?? []), event.bytes.slice()]);
    else if (event.type === 'end') ended.push(object);
    else if (event.type !== 'head') throw new Error(`${object}: ${JSON.stringify(event)}`);
    if (ended.length === 2 * bodies.length) resolve();
  };
  const client = new H2Client({
    scheme: 'http',
    requestBytes: 200,
    scheduler: 'round-robin',
    onResponse,
    onStream: () => {},
  });
  const wire = new Wire(
    bytes => client.handleBytes(bytes),
    () => client.pollFrames(),
  );
  const session = http2.performServerHandshake(wire);
  session.on('stream', (stream, headers) => {
    seen.push(headers);
    const body = bodies[Number(headers[':path']?.slice(1)) % bodies.length] ?? new Uint8Array(0);
    stream.additionalHeaders({':status': 103, link: '</a.css>'});
    stream.respond({'content-length': body.length, 'x-all': ALL_CHARACTERS, server: 'node'});
    stream.end(body);
  });
  client.handleConnected();
  for (let object = 0; object < 2 * bodies.length; object++) client.request(object, `/${object}`);
  wire.pump();
  await promise;
  for (const [i, body] of [...bodies, ...bodies].entries())
    expect(Buffer.concat(got.get(i) ?? []).equals(body)).toBe(true);
  expect(seen[3]).toMatchObject({
    ':method': 'GET',
    ':scheme': 'http',
    ':authority': 'page.test',
    ':path': '/3',
    priority: 'i',
    'user-agent': expect.stringMatching(/^Mozilla/),
    cookie: expect.stringMatching(/^last=/),
  });
  session.destroy();
});

test.each([4096, 0, 100])(
  'Node’s client loads from our server with a header table of %i bytes',
  async headerTableSize => {
    const server = new H2Server({respond, thinkNs: 0, scheduler: 'round-robin'});
    const wire = new Wire(
      bytes => server.handleBytes(bytes, 0),
      () => server.pollFrames(0) ?? server.pollData(0),
    );
    server.handleConnected();
    // The peer's windows have the initial size, so the largest body needs WINDOW_UPDATE frames for stream and
    // connection.
    const session = http2.connect('http://page.test', {createConnection: () => wire, settings: {headerTableSize}});
    const answers = await Promise.all([...bodies.keys(), 99].map(i => load(session, `/${i}`)));
    for (const [i, body] of bodies.entries()) {
      expect(answers[i]?.body.equals(body)).toBe(true);
      expect(answers[i]?.headers).toMatchObject({
        ':status': 200,
        'content-type': `image/x-${i}`,
        'content-length': `${body.length}`,
      });
    }
    expect(answers.at(-1)?.headers[':status']).toBe(404);
    // The second request for /2 uses the table, if there is one.
    expect((await load(session, '/2')).body).toHaveLength(10_000);
    session.destroy();
  },
);

function respond(url: string | undefined): Response {
  const object = Number(url?.slice(1));
  const body = bodies[object];
  const rest = {statusText: 'OK', contentType: `image/x-${object}`, headerBytes: 250};
  if (body === undefined) return {...rest, object: null, status: 404, body: new Uint8Array(0)};
  return {...rest, object, status: 200, body};
}

interface Answer {
  readonly headers: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader;
  readonly body: Buffer;
}

function load(session: http2.ClientHttp2Session, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({':path': path, priority: 'u=1, i', 'x-all': ALL_CHARACTERS});
    const pieces: Buffer[] = [];
    let headers: Answer['headers'] = {};
    stream.on('response', found => {
      headers = found;
    });
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('end', () => resolve({headers, body: Buffer.concat(pieces)}));
    stream.on('error', reject);
  });
}

/**
 * The connection between Node's end and our end. Our end handles the bytes that Node writes, and Node reads our
 * replies.
 */
class Wire extends Duplex {
  readonly #handle: (bytes: Uint8Array) => void;
  readonly #poll: () => OutgoingFrames | undefined;

  constructor(handle: (bytes: Uint8Array) => void, poll: () => OutgoingFrames | undefined) {
    super();
    this.#handle = handle;
    this.#poll = poll;
  }

  pump(): void {
    for (let next = this.#poll(); next !== undefined; next = this.#poll()) this.push(next.bytes);
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#handle(new Uint8Array(chunk));
    this.pump();
    done();
  }

  override _read(): void {}
}

/** All printable ASCII characters. The tests send them in a field's value, so that each Huffman code is used. */
const ALL_CHARACTERS = Array.from({length: 95}, (_, i) => String.fromCharCode(32 + i))
  .join('')
  .trim();
