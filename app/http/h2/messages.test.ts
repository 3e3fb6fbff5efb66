import {describe, expect, test} from 'vitest';
import {joinedBytes} from '../buffers.ts';
import type {ResponseEvent} from '../exchange.ts';
import type {Field} from '../hpack/field.ts';
import {HpackDecoder} from '../hpack/hpackDecoder.ts';
import {HpackEncoder} from '../hpack/hpackEncoder.ts';
import type {Response} from '../response.ts';
import {H2Client} from './h2Client.ts';
import type {ErrorCode} from './h2Error.ts';
import {
  encodeFrame,
  encodeGoaway,
  encodeHeaders,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  FLAG,
  FRAME,
  H2FrameReader,
  PREFACE,
  SETTING,
} from './h2Frame.ts';
import {H2Server} from './h2Server.ts';

// Valid and invalid messages that other implementations may send (RFC 9113 §8).

const ok = (length: number): readonly Field[] => [
  [':status', '200'],
  ['content-length', String(length)],
];

describe('a client', () => {
  test('tells a new priority by PRIORITY_UPDATE, and with a chain of dependencies by PRIORITY only', () => {
    const changed = (hasChain: boolean): readonly string[] => {
      const {client, sent} = connectedClient(2, [], {hasChain});
      client.reprioritize(0, {urgency: 1, isIncremental: true});
      return sent();
    };
    expect(changed(false)).toEqual([`${FRAME.priorityUpdate} 0`]);
    // the request behind the moved one gets its place first
    expect(changed(true)).toEqual([`${FRAME.priority} 3`, `${FRAME.priority} 1`]);
  });

  test.each<[string, readonly Field[], number]>([
    ['without a status', [['content-length', '3']], 3],
    [
      'with a status of two digits',
      [
        [':status', '20'],
        ['content-length', '3'],
      ],
      3,
    ],
    [
      'with two statuses',
      [
        [':status', '200'],
        [':status', '200'],
        ['content-length', '3'],
      ],
      3,
    ],
    [
      'with a status after its fields',
      [
        ['content-length', '3'],
        [':status', '200'],
      ],
      3,
    ],
    ['with a pseudo-header of requests', [[':path', '/'], ...ok(3)], 3],
    ['with capitals in a name', [...ok(3), ['Server', 'x']], 3],
    ['with a field about the connection', [...ok(3), ['transfer-encoding', 'chunked']], 3],
    ['with a te that is not trailers', [...ok(3), ['te', 'gzip']], 3],
    ['with a line end in a value', [...ok(3), ['a', 'b\nc']], 3],
    ['with a blank at the end of a value', [...ok(3), ['a', 'b ']], 3],
    ['that is shorter than its content-length', ok(4), 3],
    ['that is longer than its content-length', ok(2), 3],
    ['that ends after an interim response', [[':status', '103']], 0],
  ])('resets the stream of a response %s, and no other stream', (_, fields, bytes) => {
    const {client, events, hear, sent} = connectedClient(2);
    hear(fieldsOf(1, fields, bytes === 0), ...(bytes === 0 ? [] : [dataOf(1, bytes, true)]));
    hear(fieldsOf(3, ok(1), false), dataOf(3, 1, true));
    expect(events.filter(text => !/body|head/.test(text))).toEqual([
      'object 0 gone: stream reset: PROTOCOL_ERROR',
      'object 1 end',
    ]);
    expect(sent()).toContain(`${FRAME.rstStream} 1`);
    expect(client.objectOf(1)).toBeNull();
  });

  test('accepts interim responses, trailers and error statuses', () => {
    const {events, hear} = connectedClient(1);
    hear(
      fieldsOf(1, [[':status', '103']], false),
      fieldsOf(
        1,
        [
          [':status', '404'],
          ['content-length', '1'],
        ],
        false,
      ),
    );
    hear(dataOf(1, 1, false), fieldsOf(1, [['x', 'y']], true));
    expect(events).toEqual(['object 0 head 404 1 {"kind":"status","status":404}', 'object 0 body 1', 'object 0 end']);
  });

  test('reports a response without a length once', () => {
    const {events, hear} = connectedClient(1);
    hear(fieldsOf(1, [[':status', '200']], false), dataOf(1, 5, true));
    expect(events).toEqual(['object 0 bad {"kind":"malformed","what":"Content-Length"}']);
  });

  test('opens at most as many streams as the server allows, and sends further requests when streams end', () => {
    const {events, hear, asked} = connectedClient(0, [[SETTING.maxConcurrentStreams, 2]]);
    for (let object = 0; object < 4; object++) events.push(...asked(object));
    expect(events).toEqual(['asks on 1', 'asks on 3']);
    hear(fieldsOf(3, ok(0), true));
    expect(asked(4)).toEqual(['asks on 5']);
  });

  test('reports the reason for requests that fail because of RST_STREAM, GOAWAY or a connection error', () => {
    const {events, hear} = connectedClient(3);
    hear(encodeRstStream(3, 'REFUSED_STREAM'), encodeGoaway(1, 'NO_ERROR'));
    expect(events).toEqual([
      'object 1 gone: stream reset: REFUSED_STREAM',
      'object 2 gone: connection ended: NO_ERROR',
    ]);
    hear(fieldsOf(1, ok(0), true));
    expect(events.at(-1)).toBe('object 0 end');
    const broken = connectedClient(2);
    broken.hear(encodeGoaway(3, 'INTERNAL_ERROR'));
    expect(broken.events).toHaveLength(2);
    const confused = connectedClient(2);
    confused.hear(encodeFrame(FRAME.pushPromise, 0, 1, new Uint8Array(4)));
    expect(confused.events[0]).toBe('object 0 gone: connection ended: PROTOCOL_ERROR');
    confused.client.request(2, '/2');
    expect(confused.events.at(-1)).toBe('object 2 gone: connection ended: PROTOCOL_ERROR');
  });
});

const get: readonly Field[] = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':path', '/1'],
];

describe('a server', () => {
  test.each<[string, readonly Field[], ErrorCode]>([
    ['without a path', get.slice(0, 2), 'PROTOCOL_ERROR'],
    ['with an empty path', [...get.slice(0, 2), [':path', '']], 'PROTOCOL_ERROR'],
    ['with an unknown pseudo-header', [[':x', 'y'], ...get], 'PROTOCOL_ERROR'],
    ['with keep-alive', [...get, ['keep-alive', '1']], 'PROTOCOL_ERROR'],
    [
      'with fields that are too large',
      [...get, ...Array.from({length: 2000}, (): Field => ['a', ''])],
      'ENHANCE_YOUR_CALM',
    ],
  ])('resets the stream of a request %s', (_, fields, code) => {
    const {hear, answers} = startedServer();
    hear(fieldsOf(1, fields, true), fieldsOf(3, get, true));
    expect(answers()).toEqual([`1 reset ${code}`, '3 200', '3 body 3000']);
  });

  test('answers POST with 400, and a request for an unknown URL with 404', () => {
    const {hear, answers} = startedServer();
    hear(fieldsOf(1, [[':method', 'POST'], ...get.slice(1)], false), dataOf(1, 10, true));
    hear(fieldsOf(3, [...get.slice(0, 2), [':path', '/none']], true));
    expect(answers()).toEqual(['1 400', '3 404']);
  });

  test('answers HEAD like GET, but without the body', () => {
    const {hear, server, answers} = startedServer();
    hear(fieldsOf(1, [[':method', 'HEAD'], ...get.slice(1)], true), fieldsOf(3, get, true));
    expect(answers()).toEqual(['1 200', '3 200', '3 body 3000']);
    expect(server.objectOf(1)).toBeNull();
  });

  test('writes pieces of one packet, the most urgent first, and observes PRIORITY_UPDATE', () => {
    const {hear, server, answers} = startedServer();
    hear(fieldsOf(1, get, true), fieldsOf(3, [...get, ['priority', 'u=1']], true), fieldsOf(5, get, true));
    expect(answers(4)).toEqual(['1 200', '3 200', '5 200', '3 body 1360']);
    const update = [0, 0, 0, 5, ...'u=0'].map(part => (typeof part === 'number' ? part : part.charCodeAt(0)));
    server.handleBytes(encodeFrame(FRAME.priorityUpdate, 0, 0, Uint8Array.from(update)), 0);
    expect(answers()).toEqual(['5 body 3000', '3 body 1640', '1 body 3000']);
  });

  test('sends its settings at once, or when it has read the first frames of the client', () => {
    const typesAfter = (rules: ConstructorParameters<typeof H2Server>[1], act: (server: H2Server) => void) => {
      const server = new H2Server({respond, thinkNs: 0, scheduler: 'first-come'}, rules);
      server.handleConnected();
      act(server);
      const types: number[] = [];
      for (let next = server.pollFrames(0); next !== undefined; next = server.pollFrames(0))
        types.push(next.bytes[3] ?? 0);
      return types;
    };
    const late = {pieceBytes: 2000, settingsAreReply: true};
    const hear = (server: H2Server) => server.handleBytes(joinedBytes([PREFACE, encodeSettings([])]), 0);
    expect(typesAfter(undefined, () => {})).toEqual([FRAME.settings]);
    expect(typesAfter(late, () => {})).toEqual([]);
    expect(typesAfter(late, hear)).toEqual([FRAME.settings, FRAME.settings]);
  });

  test('sends no more than the windows allow, and continues when they grow', () => {
    const {hear, answers} = startedServer([[SETTING.initialWindowSize, 100]]);
    hear(fieldsOf(1, get, true));
    expect(answers()).toEqual(['1 200', '1 body 100']);
    hear(encodeWindowUpdate(1, 50));
    expect(answers()).toEqual(['1 body 50']);
    hear(encodeRstStream(1, 'CANCEL'));
    hear(encodeWindowUpdate(0, 5000));
    expect(answers()).toEqual([]);
  });
});

function connectedClient(
  objects: number,
  settings: readonly (readonly [number, number])[] = [],
  options: Partial<ConstructorParameters<typeof H2Client>[0]> = {},
) {
  const events: string[] = [];
  const onResponse = (object: number, event: ResponseEvent) => events.push(`object ${object} ${textOf(event)}`);
  const client = new H2Client({
    scheme: 'http',
    requestBytes: 100,
    scheduler: 'round-robin',
    onResponse,
    onStream: () => {},
    ...options,
  });
  const hear = (...frames: readonly Uint8Array[]) => {
    for (const frame of frames) client.handleBytes(frame);
  };
  const reader = new H2FrameReader();
  const sent = () => {
    const texts: string[] = [];
    for (let next = client.pollFrames(); next !== undefined; next = client.pollFrames()) {
      const isFirst = PREFACE.every((byte, i) => next?.bytes[i] === byte);
      const bytes = isFirst ? next.bytes.subarray(PREFACE.length) : next.bytes;
      for (const {type, stream} of reader.push(bytes)) texts.push(`${type} ${stream}`);
    }
    return texts;
  };
  client.handleConnected();
  hear(encodeSettings(settings));
  for (let object = 0; object < objects; object++) client.request(object, `/${object}`);
  sent();
  const asked = (object: number) => {
    client.request(object, `/${object}`);
    return sent().flatMap(text => (text.startsWith(`${FRAME.headers} `) ? [`asks on ${text.slice(2)}`] : []));
  };
  return {client, events, hear, sent, asked};
}

function startedServer(
  settings: readonly (readonly [number, number])[] = [],
  rules?: ConstructorParameters<typeof H2Server>[1],
) {
  const server = new H2Server({respond, thinkNs: 0, scheduler: 'first-come'}, rules);
  const [reader, decoder] = [new H2FrameReader(), new HpackDecoder(4096, 1e5)];
  const hear = (...frames: readonly Uint8Array[]) => {
    for (const frame of frames) server.handleBytes(frame, 0);
  };
  /**
   * Returns a text for each frame on a stream, at most `most` texts. Consecutive DATA frames of a stream are joined.
   */
  const answers = (most = 1000) => {
    const texts: string[] = [];
    while (texts.length < most) {
      const next = server.pollFrames(0) ?? server.pollData(0);
      if (next === undefined) break;
      for (const {type, stream, payload} of reader.push(next.bytes)) {
        const body = new RegExp(`^${stream} body (\\d+)$`).exec(texts.at(-1) ?? '')?.[1];
        if (type === FRAME.headers) texts.push(`${stream} ${decoder.decode(payload).fields[0]?.[1]}`);
        if (type === FRAME.rstStream)
          texts.push(`${stream} reset ${payload[3] === 1 ? 'PROTOCOL_ERROR' : 'ENHANCE_YOUR_CALM'}`);
        if (type === FRAME.data && body !== undefined) texts.pop();
        if (type === FRAME.data) texts.push(`${stream} body ${Number(body ?? 0) + payload.length}`);
      }
    }
    return texts;
  };
  hear(PREFACE, encodeSettings(settings));
  answers();
  return {server, hear, answers};
}

function respond(url: string | undefined): Response {
  const rest = {object: null, statusText: '', contentType: 'a/b', headerBytes: 0};
  if (url === '/1') return {...rest, status: 200, body: new Uint8Array(3000)};
  return {...rest, status: url === undefined ? 400 : 404, body: new Uint8Array(0)};
}

/** Encodes HEADERS with a new encoder, which has an empty table. */
function fieldsOf(stream: number, fields: readonly Field[], isEnd: boolean): Uint8Array {
  const encoder = new HpackEncoder();
  encoder.limit(0);
  return encodeHeaders(stream, encoder.encode(fields), isEnd, 16_384);
}

function dataOf(stream: number, bytes: number, isEnd: boolean): Uint8Array {
  return encodeFrame(FRAME.data, isEnd ? FLAG.endStream : 0, stream, new Uint8Array(bytes));
}

function textOf(event: ResponseEvent): string {
  switch (event.type) {
    case 'head':
      return `head ${event.status} ${event.bodyBytes} ${JSON.stringify(event.failure)}`;
    case 'body':
      return `body ${event.bytes.length}`;
    case 'bad':
      return `bad ${JSON.stringify(event.failure)}`;
    case 'gone':
      return `gone: ${event.reason}`;
    default:
      return event.type;
  }
}
