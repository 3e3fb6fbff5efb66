import {once} from 'node:events';
import {createServer as createHttpServer} from 'node:http';
import {type AddressInfo, connect, createServer, type Server, type Socket} from 'node:net';
import {Duplex} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {latin1} from '../../../app/base/bytes.ts';
import type {Respond} from '../../../app/http/response.ts';
import {drawsOf} from '../../../native/interop/testing/mutants.ts';
import {startClock} from '../../net/clock.ts';
import {SctpClient} from '../client/sctpClient.ts';
import {HeadBudget} from '../server/headBudget.ts';
import {HttpEnd} from '../server/httpEnd.ts';
import {SERVER_LIMITS} from '../server/serverLimits.ts';
import {HTTP1_OVER_TCP} from '../server/tcpServer.ts';
import {type FarShim, startFar} from './far.ts';
import {type NearShim, startNear} from './near.ts';
import {SHIM_LIMITS} from './shimLimits.ts';
import {CORPUS, drawnAnswer, drawnRequests} from './testing/drawnRequests.ts';
import {hopByHop, type Meant, type MeantField, readRequests} from './testing/strictReader.ts';

// These tests send random requests through the shim, and compare the requests that the client meant with the requests
// that the origin reads. The origin's bytes are read by a strict reader of RFC 9112 and by Node. This command runs more
// rounds: INTERLEAVE_FUZZ=20000 npx vitest run main/live/shim/fuzz
const ROUNDS = Number(process.env['INTERLEAVE_FUZZ'] ?? 150);
/** Seed of the first round. An error message contains the seed of its round. */
const FIRST_SEED = Number(process.env['INTERLEAVE_FUZZ_SEED'] ?? 1);

const seeds = Array.from({length: ROUNDS}, (_, i) => FIRST_SEED + i);
const origin = new (class {
  /** The bytes that were received on each connection. */
  readonly came: string[] = [];
  /**
   * The random answers, keyed by the first segment of the request's path. Other requests are answered with their own
   * target.
   */
  readonly answers = new Map<string, string>();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer(socket => this.#accept(socket));

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    const number = this.came.push('') - 1;
    let answered = 0;
    socket.setEncoding('latin1').on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('data', text => {
      const all = `${this.came[number]}${text}`;
      const isHead = !this.came[number]?.includes('\r\n\r\n') && all.includes('\r\n\r\n');
      this.came[number] = all;
      if (isHead && /\r\nExpect: 100-continue\r\n/i.test(all)) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      const {requests} = readRequests(all);
      for (const request of requests.slice(answered)) socket.write(this.#answer(request), 'latin1');
      // A random answer may have fewer bytes than it announces. The connection is ended, so that nobody waits for more.
      if (requests.some(({target}) => this.answers.has(markOf(target)))) socket.end();
      answered = requests.length;
    });
  }

  #answer({target, method, fields}: Meant): string {
    const drawn = this.answers.get(markOf(target));
    if (drawn !== undefined) return drawn;
    const mark = fields.find(([name]) => name === 'x-mark')?.[1];
    const body = JSON.stringify({target, mark});
    return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${method === 'HEAD' ? '' : body}`;
  }
})();
function markOf(target: string): string {
  return /^\/([^/?#]*)/.exec(target)?.[1] ?? '';
}

let [port, far, near]: [number, FarShim | undefined, NearShim | undefined] = [0, undefined, undefined];

beforeAll(async () => {
  port = await origin.listen();
  const at = {host: '127.0.0.1', port: 0, token: undefined};
  const url = new URL(`http://127.0.0.1:${port}`);
  // No tunnels are allowed, because a random CONNECT request could reach any server.
  far = await startFar({
    ...at,
    origin: url,
    isPrivateAllowed: true,
    limits: {...SHIM_LIMITS, tunnelPorts: []},
  });
  near = await startNear({...at, to: {host: '127.0.0.1', port: far.port}});
});

afterAll(async () => {
  await near?.close();
  await far?.close();
  origin.close();
});

/**
 * Sends a text to the near end over TCP. Returns what is received until the connection ends or nothing has been
 * received for `quietMs`.
 */
async function asked(text: string, quietMs = QUIET_MS): Promise<{readonly came: string; readonly isReset: boolean}> {
  const socket = connect(near?.port ?? 0, '127.0.0.1').setEncoding('latin1');
  let [came, isReset] = ['', false];
  const closed = once(socket, 'close').catch(() => undefined);
  const quiet = setTimeout(() => socket.destroy(), quietMs);
  socket.on('error', () => {
    isReset = true;
  });
  socket.on('data', piece => {
    came += piece;
    quiet.refresh();
  });
  socket.write(text, 'latin1');
  await closed;
  clearTimeout(quiet);
  return {came, isReset};
}

/**
 * Sends a text as plain HTTP/1.1 on a stream of an association with the far end. Returns the answers until a last
 * request on another stream is answered.
 */
async function askedPlainly(text: string, mark: string): Promise<string> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const client: SctpClient = new SctpClient({
      host: '127.0.0.1',
      port: far?.port ?? 0,
      clock: startClock(),
      record: {},
      sctp: {profile: 'modern', streams: 4},
      onEvents: events => {
        for (const event of events) {
          if (event.type === 'connected') {
            const most = client.association.maxMessageInPacketBytes();
            for (let at = 0; at < text.length; at += most)
              client.association.send(1, Buffer.from(text.slice(at, at + most), 'latin1'));
            client.association.send(2, Buffer.from(`GET /last-${mark} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
          } else if (event.type === 'message') said += latin1(event.bytes);
          // The far end aborts the whole association if it closes a stream early.
          else if (event.type === 'closed') resolve();
        }
        if (said.includes(`last-${mark}`)) resolve(client.close());
      },
      onError: reject,
    });
    client.connect();
  });
  return said;
}

/** A request without the parts that a hop may change, so that requests before and after the shim can be compared. */
function asItGoes({method, target, fields, body, trailers}: Meant, authority: string): unknown {
  const dropped = hopByHop(fields);
  const kept = (all: readonly MeantField[]): MeantField[] =>
    all.filter(([name]) => !dropped.has(name) && !['host', 'via', 'authorization'].includes(name));
  const path = target.replace(/^http:\/\/([^/?#]*)/i, (whole, host) => (host === authority ? '' : whole));
  const cookies = kept(fields).flatMap(([name, value]) => (name === 'cookie' ? [value] : []));
  return {
    method,
    body,
    path: path.startsWith('/') || path === '*' ? path : `/${path}`,
    fields: kept(fields)
      .filter(([name]) => name !== 'cookie')
      .map(field => field.join(': '))
      .sort(),
    cookies: cookies.join('; '),
    trailers: kept(trailers).map(field => field.join(': ')),
  };
}

/**
 * Compares the requests that the origin received with the requests that the client meant by `said`. Returns the
 * differences.
 */
function wrongs(said: string, mark: string): string[] {
  const meant = readRequests(said)
    .requests.filter(({hasHost}) => hasHost)
    .map(request => JSON.stringify(asItGoes(request, `127.0.0.1:${port}`)));
  return origin.came.flatMap(text => {
    if (!text.includes(mark) || /^GET \/(victim|last)-/.test(text)) return [];
    const {requests, problem, rest} = readRequests(text);
    const shown = JSON.stringify(text);
    if (problem !== undefined) return [`the origin cannot read ${problem} of ${shown}`];
    const [request] = requests;
    if (request === undefined) return [];
    if (requests.length > 1 || rest > 0) return [`the origin reads ${requests.length} and ${rest} B of ${shown}`];
    const goes = JSON.stringify(asItGoes(request, `127.0.0.1:${port}`));
    return meant.includes(goes) ? [] : [`nobody meant ${goes} by ${JSON.stringify(said)}`];
  });
}

/** Returns the requests that Node reads from a connection with this text. */
async function readByNode(text: string): Promise<string[]> {
  const read: string[] = [];
  const server = createHttpServer({keepAliveTimeout: 0});
  const take = async (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => {
    const body = await buffer(request);
    read.push(`${request.method} ${request.url} ${body.length}`);
    response.end();
  };
  server
    .on('request', take)
    .on('checkContinue', take)
    .on('clientError', error => read.push(`${error}`));
  const socket = new Duplex({read: () => undefined, write: (_, __, done) => done()});
  server.emit('connection', socket);
  socket.push(Buffer.from(text, 'latin1'));
  // Bodies arrive in later turns of the event loop.
  for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve));
  socket.destroy();
  return read;
}

/**
 * How long to wait for late answers, in ms. A longer wait may find more errors. It never makes a correct answer fail.
 */
const QUIET_MS = Number(process.env['INTERLEAVE_FUZZ_QUIET_MS'] ?? 60);
/** How long to wait for an expected answer, in ms. */
const PATIENCE_MS = 30_000;
const VICTIM = 'Authorization: Bearer of-victim';

async function attacked(said: string, mark: string, ask: () => Promise<string>): Promise<void> {
  origin.came.length = 0;
  const victim = `victim-${mark}`;
  const fields = `Host: localhost\r\nX-Mark: ${victim}\r\n${VICTIM}\r\nConnection: close`;
  const [got, {came: own}] = await Promise.all([
    ask(),
    asked(`GET /${victim} HTTP/1.1\r\n${fields}\r\n\r\n`, PATIENCE_MS),
  ]);
  const where = `${mark}: ${JSON.stringify(said)}`;
  expect(got, where).not.toContain('victim');
  expect(own, where).toMatch(/^HTTP\/1\.1 200 /);
  expect(own.slice(own.indexOf('\r\n\r\n') + 4), where).toBe(JSON.stringify({target: `/${victim}`, mark: victim}));
  expect(wrongs(said, mark), where).toEqual([]);
  for (const text of origin.came.filter(text => readRequests(text).requests.length === 1)) {
    const [{method, target, body} = {method: '', target: '', body: ''}] = readRequests(text).requests;
    expect(await readByNode(text), where).toEqual([`${method} ${target} ${body.length}`]);
    if (body.includes('of-victim') || (text.includes('of-victim') && !target.startsWith('/victim')))
      throw new Error(`${where}: the victim’s request is in ${JSON.stringify(text)}`);
  }
}

describe('a request', () => {
  test.each(Object.keys(CORPUS))('reaches the origin unchanged or not at all: %s', async name => {
    const said = (CORPUS[name] ?? '').replaceAll('{origin}', `127.0.0.1:${port}`).replaceAll('{}', 'corpus');
    const after = 'GET /corpus-after HTTP/1.1\r\nHost: localhost\r\nX-Mark: corpus-after\r\n\r\n';
    await attacked(said + after, 'corpus', async () => (await asked(said + after)).came);
    await attacked(said + after, 'corpus', () => askedPlainly(said + after, 'corpus'));
  });

  test(
    `reaches the origin unchanged or not at all, in ${ROUNDS} connections`,
    async () => {
      for (const seed of seeds) {
        const mark = `m${seed}`;
        const said = drawnRequests(drawsOf(seed), mark, `127.0.0.1:${port}`);
        if (seed % 2 === 0) await attacked(said, mark, async () => (await asked(said)).came);
        else await attacked(said, mark, () => askedPlainly(said, mark));
      }
    },
    60_000 + ROUNDS * 500,
  );

  test(
    `is read correctly or refused by a live server, in ${10 * ROUNDS} connections`,
    () => {
      for (const seed of seeds.flatMap(seed => Array.from({length: 10}, (_, i) => 10 * seed + i))) {
        const draw = drawsOf(seed);
        const said = drawnRequests(draw, `m${seed}`, 'localhost');
        const where = `seed ${seed}: ${JSON.stringify(said)}`;
        const {answers, isOver} = served(said, () => 1 + draw(2000));
        const {requests, begun, problem, rest} = readRequests(said);
        for (const [i, answer] of answers.entries()) {
          const request = requests[i] ?? (i === requests.length ? begun : undefined);
          const isRefused = !answer.startsWith('HTTP/1.1 200 ');
          if (request === undefined) {
            // This answer belongs to a request that cannot be read, or to empty lines, which the strict reader does not
            // count as a request.
            const isEmpty = /^[\r\n]+/.test(said.slice(said.length - rest));
            expect([isRefused, isOver, i, problem !== undefined || isEmpty], where).toEqual([
              true,
              true,
              requests.length,
              true,
            ]);
          } else if (!isRefused) {
            const url = request.method === 'HEAD' ? '' : request.target;
            expect(answer.slice(answer.indexOf('\r\n\r\n') + 4), where).toBe(url);
          }
        }
        // Every request is answered, except those after a refused request. A head is judged when it is complete.
        const waits = problem !== undefined && !said.slice(-rest).includes('\r\n\r\n');
        const all = requests.length + (begun === undefined ? 0 : 1);
        if (!isOver && !waits) expect([answers.length, problem], where).toEqual([all, undefined]);
      }
    },
    60_000 + ROUNDS * 100,
  );
});

/** Returns a live server's answers to requests that arrive in pieces of these sizes. */
function served(said: string, pieceBytes: () => number): {answers: readonly string[]; isOver: boolean} {
  const base = {object: null, statusText: 'OK', contentType: 'text/plain', headerBytes: 0} as const;
  const respond: Respond = url =>
    url === undefined
      ? {...base, status: 400, body: new Uint8Array(0)}
      : {...base, status: 200, body: Buffer.from(url, 'latin1')};
  const answers: string[] = [];
  const send = (_: number, bytes: Uint8Array): number => {
    answers.push(latin1(bytes));
    return bytes.length;
  };
  const end = new HttpEnd(
    {
      respond,
      refuse: () => undefined,
      limits: SERVER_LIMITS,
      heads: new HeadBudget(SERVER_LIMITS),
      clock: () => 0,
    },
    {...HTTP1_OVER_TCP, address: '', send, giveUp: () => undefined},
  );
  const bytes = Buffer.from(said, 'latin1');
  for (let at = 0; at < bytes.length; ) {
    const next = at + pieceBytes();
    end.handleBytes(0, bytes.subarray(at, next));
    at = next;
  }
  end.write();
  return {answers, isOver: end.isOver};
}

test(
  `an origin’s answer is read as one answer to its own request, in ${ROUNDS} connections`,
  async () => {
    for (const seed of seeds) {
      const draw = drawsOf(-seed);
      const mark = `a${seed}`;
      const answer = drawnAnswer(draw, `${mark}-hidden`);
      origin.answers.set(mark, answer);
      const [method, where] = [draw(6) === 0 ? 'HEAD' : 'GET', `seed ${seed}: ${JSON.stringify(answer)}`];
      const line = `${method} /${mark} HTTP/1.${draw(4) === 0 ? 0 : 1}`;
      const next = `GET /next-${mark} HTTP/1.1\r\nHost: localhost\r\nX-Mark: next\r\nConnection: close\r\n\r\n`;
      const {came, isReset} = await asked(
        `${line}\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n${next}`,
        PATIENCE_MS,
      );
      const own = JSON.stringify({target: `/next-${mark}`, mark: 'next'});
      const answered = came.replace(/^(?:HTTP\/1\.1 1\d\d .*?\r\n\r\n)+/s, '');
      // After an incomplete answer the connection ends without another answer.
      const isWhole = came.endsWith(`\r\n\r\n${own}`) && !isReset;
      const isCut = isReset || /\r\nConnection: close(\r\n|$)/i.test(answered.split('\r\n\r\n', 1)[0] ?? '');
      expect([came, isWhole || isCut], where).toEqual([came, true]);
      // A head that is hidden in or after a body must not be read as an answer.
      const heads = answered.split(/(?=HTTP\/1\.1 [2-9]\d\d )/).length;
      expect([came, heads <= 2], where).toEqual([came, true]);
      origin.answers.delete(mark);
    }
  },
  60_000 + ROUNDS * 500,
);
