import {createHash, randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {createServer, type RequestListener, request, type Server, type ServerResponse} from 'node:http';
import {type AddressInfo, connect, createServer as createTcpServer, type Server as NetServer} from 'node:net';
import {buffer} from 'node:stream/consumers';
import {setTimeout as wait} from 'node:timers/promises';
import {afterEach, describe, expect, test} from 'vitest';
import {startClock} from '../../net/clock.ts';
import {openPage} from '../../pages/openPage.ts';
import {SctpClient} from '../client/sctpClient.ts';
import {startServer} from '../server/liveServer.ts';
import {type FarOptions, startFar} from './far.ts';
import {type NearOptions, startNear} from './near.ts';
import {SHIM_LIMITS} from './shimLimits.ts';

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function closing<T extends {close(): unknown}>(one: T): T {
  ends.push(() => one.close());
  return one;
}

async function portOf(server: Server | NetServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function origin(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  ends.push(() => server.closeAllConnections());
  return portOf(server);
}

/** Starts both ends of a shim for an origin at this port. */
async function shim(originPort: number, far: Partial<FarOptions> = {}, near: Partial<NearOptions> = {}) {
  const at = {host: '127.0.0.1', port: 0};
  const url = new URL(`http://127.0.0.1:${originPort}`);
  const started = await startFar({...at, token: 'T', origin: url, isPrivateAllowed: true, ...far});
  let isEnded = false;
  const farEnd = {
    port: started.port,
    peers: () => started.peers(),
    close: async () => {
      if (!isEnded) await started.close();
      isEnded = true;
    },
  };
  closing(farEnd);
  const to = {host: '127.0.0.1', port: farEnd.port};
  const nearEnd = closing(await startNear({...at, to, token: 'T', ...near}));
  return {far: farEnd, near: nearEnd, url: `http://127.0.0.1:${nearEnd.port}`};
}

/**
 * Sends a text over TCP. Returns the text that is received until the connection ends, and whether it ended with a
 * reset.
 */
async function raw(
  port: number,
  said: string,
  onPiece: (answer: string) => void = () => undefined,
): Promise<{text: string; isReset: boolean}> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  socket.write(said);
  let [answer, isReset] = ['', false];
  socket.on('error', () => (isReset = true));
  socket.on('data', piece => {
    answer += piece;
    onPiece(answer);
  });
  await new Promise(resolve => socket.on('close', resolve));
  return {text: answer, isReset};
}

function shaOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

describe('a request through both ends', () => {
  test('keeps its fields except those about the connection, and so does its answer', async () => {
    const port = await origin((incoming, response) => {
      response.writeHead(203, 'As It Was', [
        'X-Many',
        '1',
        'X-Many',
        '2',
        'Connection',
        'x-own, close',
        'X-Own',
        'gone',
        'Set-Cookie',
        'a=b',
        'Set-Cookie',
        'c=d',
        'Keep-Alive',
        'timeout=9',
        'Content-Type',
        'application/json',
      ]);
      response.end(JSON.stringify({url: incoming.url, fields: incoming.rawHeaders}));
    });
    const {near} = await shim(port);
    const said = ['GET /a%20b?c HTTP/1.1', 'Host: localhost', 'X-Two: 1', 'X-Two: 2', 'TE: trailers'];
    const hops = ['Connection: X-Hop, close', 'X-Hop: 1', 'Proxy-Connection: keep-alive', 'Upgrade: h2c'];
    const {text: answer} = await raw(
      near.port,
      [...said, ...hops, 'Proxy-Authorization: Basic YTpi', '', ''].join('\r\n'),
    );
    const [head = '', body = ''] = answer.split(/\r\n\r\n(.*)/s);
    const {url, fields} = JSON.parse(/\{.*\}/s.exec(body)?.[0] ?? '');
    expect(url).toBe('/a%20b?c');
    expect(fields).toEqual([
      'Host',
      `127.0.0.1:${port}`,
      'X-Two',
      '1',
      'X-Two',
      '2',
      'Via',
      '1.1 interleave-shim, 1.1 interleave-shim',
      'Connection',
      'close',
    ]);
    expect(head.split('\r\n').filter(line => !line.startsWith('Date:'))).toEqual([
      'HTTP/1.1 203 As It Was',
      'X-Many: 1',
      'X-Many: 2',
      'Set-Cookie: a=b',
      'Set-Cookie: c=d',
      'Content-Type: application/json',
      'Via: 1.1 interleave-shim, 1.1 interleave-shim',
      'Connection: close',
      'Transfer-Encoding: chunked',
    ]);
  });

  test.each(['content-length', 'X-A, Transfer-Encoding', 'Host'])(
    'is refused, as are all requests after it, if its Connection field names %s; such an answer is also refused',
    async named => {
      const asked: string[] = [];
      const port = await origin(({url}, response) => {
        asked.push(url ?? '');
        response.writeHead(200, ['Connection', `${named}, close`, 'Content-Length', '2']).end('hi');
      });
      const {near, url} = await shim(port);
      const hidden = 'GET /hidden HTTP/1.1\r\nHost: localhost\r\nX-A: ';
      const head = `GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: ${named}`;
      const said = `${head}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`;
      const {text} = await raw(near.port, `${said}GET /behind HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      expect(text).toMatch(/^HTTP\/1\.1 400 /);
      expect(text).toContain('a Connection field that names');
      expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
      expect(asked).toEqual([]);
      const answer = await fetch(`${url}/b`);
      expect([answer.status, await answer.text()]).toEqual([
        502,
        expect.stringContaining('a Connection field that names'),
      ]);
    },
  );

  test('gets its own answer even if more requests are open at a time than there are streams', async () => {
    const port = await origin(async (incoming, response) => {
      await wait(Number(incoming.url?.slice(1)) % 7);
      response.end(`answer ${incoming.url}`);
    });
    const {url, far} = await shim(port);
    const all = Array.from({length: 80}, async (_, i) => (await fetch(`${url}/${i}`)).text());
    expect(await Promise.all(all)).toEqual(all.map((_, i) => `answer /${i}`));
    expect(far.peers()).toBe(1);
  });

  test('keeps a long body and its trailers, and so does its answer', async () => {
    const port = await origin(async (incoming, response) => {
      const body = await buffer(incoming);
      response.writeHead(200, {Trailer: 'X-Sha'});
      response.write(body);
      response.addTrailers({'X-Sha': shaOf(body), 'X-Came': `${incoming.trailers['x-came']}`});
      response.end();
    });
    const {near} = await shim(port);
    const sent = randomBytes(1_000_000);
    const asked = request({
      port: near.port,
      method: 'POST',
      headers: {'Transfer-Encoding': 'chunked', Trailer: 'X-Came'},
    });
    asked.write(sent);
    asked.addTrailers({'X-Came': 'whole'});
    asked.end();
    const [answer] = await once(asked, 'response');
    expect(shaOf(await buffer(answer))).toBe(shaOf(sent));
    expect(answer.trailers).toEqual({'x-sha': shaOf(sent), 'x-came': 'whole'});
  });

  test('may have an answer without a body: HEAD, 204 and 304', async () => {
    const port = await origin((incoming, response) => {
      const status = Number(incoming.url?.slice(1)) || 200;
      response.writeHead(status, status === 200 ? {'Content-Length': 1234} : {ETag: '"e"'});
      response.end(incoming.method === 'HEAD' ? undefined : '');
    });
    const {url} = await shim(port);
    const head = await fetch(`${url}/`, {method: 'HEAD'});
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '1234']);
    for (const status of [204, 304]) {
      const {status: got, headers} = await fetch(`${url}/${status}`);
      expect([got, headers.get('etag'), headers.get('content-length')]).toEqual([status, '"e"', null]);
    }
  });

  test('with Expect sends its body after the server’s 100, and interim answers are forwarded', async () => {
    let bodies = 0;
    const server = createServer();
    server.on('checkContinue', async (incoming, response) => {
      if (incoming.url === '/no') return void response.writeHead(417).end();
      response.writeEarlyHints({link: '</a.css>; rel=preload'});
      response.writeContinue();
      bodies += (await buffer(incoming)).length;
      response.end('thanks');
    });
    const {near} = await shim(await portOf(server));
    for (const path of ['/yes', '/no']) {
      const asked = request({
        port: near.port,
        path,
        method: 'PUT',
        headers: {Expect: '100-continue', 'Content-Length': 5},
      });
      const told: unknown[] = [];
      asked.on('information', ({statusCode, headers}) => told.push(statusCode, headers['link']));
      asked
        .on('continue', () => asked.end('12345'))
        .on('error', () => undefined)
        .flushHeaders();
      const [answer] = await once(asked, 'response');
      answer.resume();
      expect([answer.statusCode, ...told]).toEqual(
        path === '/no' ? [417] : [200, 103, '</a.css>; rel=preload', 100, undefined],
      );
      asked.destroy();
    }
    expect(bodies).toBe(5);
  });

  test('with a full URL is forwarded to that URL’s host, with its path unchanged', async () => {
    const port = await origin((incoming, response) => response.end(`${incoming.headers.host}${incoming.url}`));
    const {near} = await shim(port, {origin: undefined});
    const ask = (target: string) =>
      raw(near.port, `GET ${target} HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n`);
    expect((await ask(`http://127.0.0.1:${port}/a/../b?c#d`)).text).toContain(`127.0.0.1:${port}/a/../b?c`);
    expect((await ask(`HTTP://127.0.0.1:${port}`)).text).toMatch(new RegExp(`127.0.0.1:${port}/$`));
    expect(await (await fetch(`http://127.0.0.1:${near.port}`)).text()).toContain('has no --origin');
    expect((await ask('ftp://a/')).text).toContain('only http URLs');
  });

  test('with CONNECT opens a tunnel to an allowed port only, which carries bytes in both directions', async () => {
    const echo = createTcpServer({allowHalfOpen: true}, socket => socket.pipe(socket));
    const port = await portOf(echo);
    const limits = {...SHIM_LIMITS, tunnelPorts: [port]};
    const {near} = await shim(1, {origin: undefined, limits});
    const sent = randomBytes(400_000);
    const asked = request({port: near.port, method: 'CONNECT', path: `127.0.0.1:${port}`}).end();
    const [answer, socket] = await once(asked, 'connect');
    expect(answer.statusCode).toBe(200);
    socket.end(sent);
    expect(shaOf(await buffer(socket))).toBe(shaOf(sent));
    const refused = request({port: near.port, method: 'CONNECT', path: '127.0.0.1:22'}).end();
    const [no, rest] = await once(refused, 'connect');
    expect(no.statusCode).toBe(403);
    rest.destroy();
  });
});

describe('a client that does not read its answer', () => {
  test('slows down its server, but no other client', async () => {
    let written = 0;
    const port = await origin((incoming, response) => {
      if (incoming.url !== '/endless') return void response.end('quick');
      const go = (): void => {
        const piece = Buffer.alloc(64 * 1024);
        for (let more = true; more && !response.destroyed; written += piece.length) more = response.write(piece);
      };
      response.on('drain', go);
      go();
    });
    const {near, url} = await shim(port);
    const slow = connect(near.port, '127.0.0.1');
    slow.pause().write('GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n');
    let before = -1;
    while (written === 0 || written !== before) {
      before = written;
      expect(await (await fetch(`${url}/`)).text()).toBe('quick');
      await wait(100);
    }
    // These bytes are in the buffers of two kernel connections and of both ends.
    expect(written).toBeLessThan(20e6);
    slow.destroy();
  });

  test('ends the connection to the server, too, when it disconnects', async () => {
    let gone: () => void = () => undefined;
    const told = new Promise<void>(resolve => (gone = resolve));
    const port = await origin((_, response) => {
      response.write('begins');
      response.once('close', gone);
    });
    const {near} = await shim(port);
    const client = connect(near.port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(client, 'data');
    client.destroy();
    await told;
  });
});

describe('an incomplete answer', () => {
  for (const [what, version, length, how] of [
    ['of known length', '1.1', {'Content-Length': '100'}, 'destroy'],
    ['in chunks', '1.1', {}, 'destroy'],
    ['that ends with its connection', '1.0', {}, 'resetAndDestroy'],
  ] as const) {
    test(`${what} does not look complete`, async () => {
      let held: ServerResponse | undefined;
      const port = await origin((_, response) => {
        held = response;
        response.writeHead(200, length).write('half of it');
      });
      const {near} = await shim(port);
      const {text: came, isReset} = await raw(
        near.port,
        `GET / HTTP/${version}\r\nHost: localhost\r\n\r\n`,
        answer => void (answer.includes('half') && held?.socket?.[how]()),
      );
      expect(isReset).toBe(true);
      expect(came).not.toContain('\r\n0\r\n\r\n');
    });
  }

  test('does not look complete after the end of its association, and the next request starts another', async () => {
    const port = await origin((incoming, response) => {
      if (incoming.url === '/') response.end('whole');
      else response.writeHead(200, {'Content-Length': 100}).write('half');
    });
    const {far, near, url} = await shim(port);
    let closed: Promise<void> | undefined;
    const cut = await raw(near.port, 'GET /half HTTP/1.1\r\nHost: localhost\r\n\r\n', () => {
      closed ??= far.close();
    });
    await closed;
    expect(cut.isReset).toBe(true);
    const gone = await fetch(url);
    expect([gone.status, await gone.text()]).toEqual([502, expect.stringContaining('nobody listens there')]);
    const options = {host: '127.0.0.1', port: far.port, token: 'T', isPrivateAllowed: true};
    closing(await startFar({...options, origin: new URL(`http://127.0.0.1:${port}`)}));
    expect(await (await fetch(url)).text()).toBe('whole');
  });
});

describe('a shim', () => {
  const status = async (answer: Response): Promise<unknown[]> => [answer.status, await answer.text()];

  test('answers with the reason if it cannot get an answer, or if shims forward in a loop', async () => {
    const limits = {...SHIM_LIMITS, answerMs: 200};
    const silent = await origin(() => undefined);
    const broken = createTcpServer(socket => socket.on('error', () => undefined).end('HTTP/9 what\r\n\r\n'));
    for (const [port, expected] of [
      [1, [502, 'interleave shim: nobody listens at the server’s address\n']],
      [silent, [504, 'interleave shim: no answer within 0.2 s\n']],
      [await portOf(broken), [502, expect.stringContaining('cannot be read (HPE_')]],
    ] as const) {
      const {url} = await shim(port, {limits});
      expect(await status(await fetch(url))).toEqual(expected);
    }
    const {url} = await shim(silent);
    const headers = {via: Array(8).fill('1.1 interleave-shim').join()};
    expect(await status(await fetch(url, {headers}))).toEqual([400, expect.stringContaining('in a loop')]);
  });

  test('refuses a wrong token, and answers with an error if no association is established in time', async () => {
    const port = await origin((_, response) => response.end('secret'));
    for (const token of ['t', undefined]) {
      const {url, far} = await shim(port, {}, {token});
      const expected = token === undefined ? 'requires a token' : 'refuses this token';
      expect(await status(await fetch(url))).toEqual([502, expect.stringContaining(expected)]);
      expect(far.peers()).toBeLessThan(2);
    }
    const limits = {...SHIM_LIMITS, connectMs: 200};
    // 192.0.2.1 is in TEST-NET-1 (RFC 5737), so nobody answers.
    const {url} = await shim(port, {}, {limits, to: {host: '192.0.2.1', port: 9899}});
    expect((await fetch(url)).status).toBeGreaterThanOrEqual(502);
  });

  test('refuses addresses that are not public, except the origin’s', async () => {
    const port = await origin((_, response) => response.end('private'));
    const {near, url} = await shim(port, {
      isPrivateAllowed: false,
      limits: {...SHIM_LIMITS, tunnelPorts: [port]},
    });
    expect(await status(await fetch(url))).toEqual([200, 'private']);
    for (const host of [`localhost:${port}`, `127.0.0.2:${port}`, `[::1]:${port}`]) {
      const {text: answer} = await raw(
        near.port,
        `GET http://${host}/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1.1 403.*not a public address/s);
      const tunnel = await raw(near.port, `CONNECT ${host} HTTP/1.1\r\nHost: a\r\n\r\n`);
      expect(tunnel.text).toMatch(/^HTTP\/1.1 403.*not a public address/s);
    }
  });

  test('as a gateway without a token serves its origin only', async () => {
    const port = await origin((_, response) => response.end('origin'));
    const {near, url} = await shim(port, {token: undefined});
    expect(await status(await fetch(url))).toEqual([200, 'origin']);
    const ask = (line: string) => raw(near.port, `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect((await ask(`GET http://127.0.0.1:${port}/`)).text).toContain('origin');
    expect((await ask('GET http://example.org/')).text).toMatch(/^HTTP\/1.1 403/);
    expect((await ask('CONNECT example.org:443')).text).toMatch(/^HTTP\/1.1 403/);
  });

  test('on loopback refuses requests with a foreign host name', async () => {
    const {near} = await shim(await origin((_, response) => response.end('origin')));
    const ask = (host: string) => raw(near.port, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    for (const host of ['localhost', '127.0.0.1:8080', '[::1]:80']) expect((await ask(host)).text).toContain('200 OK');
    for (const host of ['evil.example', '127.0.0.1.evil.example:80']) expect((await ask(host)).text).toContain('421');
  });

  test('on another address refuses requests with a foreign host name', async () => {
    const port = await origin((_, response) => response.end('origin'));
    const {near} = await shim(port, {}, {host: '0.0.0.0'});
    const ask = (host: string) => raw(near.port, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    for (const host of ['localhost', '192.0.2.1:8080', '[2001:db8::1]'])
      expect((await ask(host)).text).toContain('200 OK');
    for (const host of ['evil.example', '192.0.2.1.evil.example:80']) expect((await ask(host)).text).toContain('421');
  });

  test('refuses requests that another site’s page causes in a browser', async () => {
    const asked: string[] = [];
    const port = await origin(({url = ''}, response) => {
      asked.push(url);
      response.end('origin');
    });
    const {near} = await shim(port);
    const host = `127.0.0.1:${near.port}`;
    const ask = (path: string, ...fields: readonly string[]) =>
      raw(near.port, [`POST ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...fields, '', ''].join('\r\n'));
    for (const fields of [
      ['Sec-Fetch-Site: cross-site'],
      ['Sec-Fetch-Site: same-site'],
      ['Origin: http://evil.example'],
      ['Origin: null'],
      ['Origin: http://127.0.0.1:1'],
      [`Origin: http://${host}`, 'Sec-Fetch-Site: same-site'],
      ['Origin: http://evil.example', 'Sec-Fetch-Site: same-origin'],
      ['Origin: http://evil.example', 'Connection: Upgrade', 'Upgrade: websocket'],
    ])
      expect((await ask('/evil', ...fields)).text).toMatch(/^HTTP\/1.1 403 /);
    for (const fields of [
      [],
      ['Sec-Fetch-Site: none'],
      ['Sec-Fetch-Site: same-origin'],
      [`Origin: http://${host}`, 'Sec-Fetch-Site: same-origin'],
    ])
      expect((await ask('/own', ...fields)).text).toContain('200 OK');
    // If the shim is used as a proxy, pages of any site may send requests.
    const whole = `http://127.0.0.1:${port}/proxied`;
    expect((await ask(whole, 'Origin: http://a.example', 'Sec-Fetch-Site: cross-site')).text).toContain('200 OK');
    expect(asked).toEqual([...Array<string>(4).fill('/own'), '/proxied']);
  });
});

test('silent connections to a near end do not lock out other programs', async () => {
  const port = await origin((_, response) => response.end('here'));
  const {near, url} = await shim(port, {}, {limits: {...SHIM_LIMITS, connections: 2}});
  const silent = Array.from({length: 2}, () => connect(near.port, '127.0.0.1').on('error', () => undefined));
  await Promise.all(silent.map(socket => once(socket, 'connect')));
  expect(await (await fetch(url)).text()).toBe('here');
  for (const socket of silent) socket.destroy();
});

test('an association without requests ends, and the next request begins another', async () => {
  const port = await origin((_, response) => response.end('here'));
  const {url, far} = await shim(port, {}, {limits: {...SHIM_LIMITS, idleMs: 100, silenceMs: 300}});
  expect(await (await fetch(url)).text()).toBe('here');
  while (far.peers() > 0) await wait(20);
  expect(await (await fetch(url)).text()).toBe('here');
});

test('the association of a silent near end is aborted', async () => {
  const limits = {...SHIM_LIMITS, silenceMs: 200};
  const {url, far} = await shim(await origin((_, response) => response.end('here')), {limits});
  expect(await (await fetch(url)).text()).toBe('here');
  expect(far.peers()).toBe(1);
  // This near end sends a ping only every 10 s, which is not often enough for the far end.
  while (far.peers() > 0) await wait(20);
});

describe('a shim with a peer that is not a shim', () => {
  test('as a near end of a live server forwards requests for the page, but none for other servers', async () => {
    const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
    const server = closing(await startServer({page, host: '127.0.0.1', port: 0, token: 'S'}));
    const at = {host: '127.0.0.1', port: 0, to: {host: '127.0.0.1', port: server.port}};
    const near = closing(await startNear({...at, token: 'S'}));
    const shaAt = async (path: string): Promise<string> => {
      const answer = await fetch(`http://127.0.0.1:${near.port}${path}`);
      return shaOf(new Uint8Array(await answer.arrayBuffer()));
    };
    const got = await Promise.all(page.objects.map(({url}) => shaAt(url)));
    expect(got).toEqual(page.objects.map(({body}) => shaOf(body ?? new Uint8Array())));
    const ask = (line: string) => raw(near.port, `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    for (const line of ['GET http://example.org/', 'CONNECT example.org:443'])
      expect((await ask(line)).text).toContain('is a server, not a gateway');
  });

  test('as a far end requires the token in each request, and does not forward it', async () => {
    const port = await origin((incoming, response) => {
      response.end(`${incoming.url} ${incoming.headers.authorization}`);
    });
    const {far} = await shim(port);
    let [said, told] = ['', (): void => undefined];
    const client = closing(
      new SctpClient({
        host: '127.0.0.1',
        port: far.port,
        clock: startClock(),
        record: {},
        sctp: {profile: 'modern', streams: 2},
        onEvents: events => {
          for (const event of events) if (event.type === 'message') said += Buffer.from(event.bytes);
          told();
        },
        onError: error => (said += error.message),
      }),
    );
    const until = async (has: () => boolean): Promise<void> => {
      while (!has()) await new Promise<void>(resolve => (told = resolve));
    };
    client.connect();
    await new Promise<void>(resolve => (told = resolve));
    for (const field of ['Authorization: Bearer t', 'Authorization: Bearer T']) {
      client.association.send(1, Buffer.from(`GET /1 HTTP/1.1\r\nHost: a\r\n${field}\r\n\r\n`));
      client.go();
      await until(() => said.includes(field.endsWith('t') ? 'the token is wrong' : '/1 undefined'));
    }
    expect(said.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 403', 'HTTP/1.1 200']);
  });

  test('keeps an association until the answer is complete, and then ends it', async () => {
    const port = await origin(async (_, response) => {
      for (let piece = 0; piece < PIECES; piece++) {
        response.write('.');
        await wait(150);
      }
      response.end('!');
    });
    const limits = {...SHIM_LIMITS, silenceMs: 60, answerMs: 150 * (PIECES - 1)};
    const {far} = await shim(port, {token: undefined, limits});
    let said = '';
    const [clock, sctp] = [startClock(), {profile: 'modern', streams: 2} as const];
    const client: SctpClient = closing(
      new SctpClient({
        host: '127.0.0.1',
        port: far.port,
        clock,
        sctp,
        record: {},
        onEvents: events => {
          for (const event of events) {
            if (event.type === 'connected')
              client.association.send(1, Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
            else if (event.type === 'message') said += Buffer.from(event.bytes);
            else if (event.type === 'closed') said += event.reason;
          }
        },
        onError: error => (said += error.message),
      }),
    );
    client.connect();
    await expect.poll(() => said, {timeout: 10_000}).toContain('peer-abort');
    expect(said.match(/^[.!]/gm)?.join('')).toBe(`${'.'.repeat(PIECES)}!`);
    expect(far.peers()).toBe(0);
  });
});

const PIECES = 6;
