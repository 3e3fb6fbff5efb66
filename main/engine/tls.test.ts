import {expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {recordContentBytes} from '../../app/http/tls/tlsRecord.ts';
import type {Trace} from '../../app/run/trace/trace.ts';
import {traces} from '../workers/testing/runs.ts';

// These tests load with TLS 1.3 over the network core's TCP.

const RTT_MS = 350;
const page = {synthetic: {objects: 3, objectBytes: 10_000}};
const path = {rateBps: 10_000_000, rttMs: RTT_MS, loss: 0};

/** The header of a record (RFC 8446 §5.1). */
const RECORD_HEADER = 5;
/** What an encrypted record adds to its content: header, type and authentication tag (RFC 8446 §5.2). */
const SEALED = RECORD_HEADER + 1 + 16;
/** The record that makes middleboxes take the connection for TLS 1.2: its content is one byte (RFC 8446 §D.4). */
const CHANGE_CIPHER_SPEC = RECORD_HEADER + 1;
/** The messages of the handshake, as app/http/tls/tlsHandshake.ts has them, in bytes. */
const MESSAGE = {
  clientHello: 300,
  serverHello: 90,
  encryptedExtensions: 40,
  certificate: 2750,
  certificateVerify: 80,
  finished: 36,
};
const CLIENT_HELLO = RECORD_HEADER + MESSAGE.clientHello;
const CLIENT_FINISHED = CHANGE_CIPHER_SPEC + SEALED + MESSAGE.finished;
/** The server's messages after its hello share an encrypted record. */
const SERVER_FLIGHT =
  RECORD_HEADER +
  MESSAGE.serverHello +
  CHANGE_CIPHER_SPEC +
  SEALED +
  (MESSAGE.encryptedExtensions + MESSAGE.certificate + MESSAGE.certificateVerify + MESSAGE.finished);
/** The head of each response. */
const RESPONSE_HEAD = 250;

test('TLS adds one round trip and the time of its handshake’s bytes before the first request', () => {
  const [plain, tls] = load([{}, {tls: true}]);
  const moreMs = ((tls.data.setupNs ?? 0) - (plain.data.setupNs ?? 0)) / 1e6;
  const bytesMs = ((CLIENT_HELLO + SERVER_FLIGHT + CLIENT_FINISHED) * 8e3) / path.rateBps;
  expect(moreMs).toBeGreaterThan(RTT_MS);
  // the headers of the packets add a few bytes
  expect(moreMs).toBeLessThan(RTT_MS + 2 * bytesMs);
  expect(requestMs(tls)).toBe((tls.data.setupNs ?? 0) / 1e6);
});

test('bytes of TLS belong to no object: those of the handshake, and what records add to requests and responses', () => {
  const [plain, tls] = load([{}, {tls: true}]);
  const bytesOf = ({data}: Trace) => ({all: sum(data.chunks.bytes), objects: sum(data.chunkPieces.bytes)});
  const {all, objects} = bytesOf(tls);
  expect(objects).toBe(bytesOf(plain).objects);
  const responses = plain.objects.map(({bytes}) => RESPONSE_HEAD + bytes);
  const requestRecords = responses.length;
  const records = requestRecords + recordsOf(responses);
  expect(all - objects).toBe(CLIENT_HELLO + SERVER_FLIGHT + CLIENT_FINISHED + SEALED * records);
});

test('each of several connections has its own handshake', () => {
  const [trace] = load([{tls: true, connections: 3, pipelining: false}]);
  expect(trace.data.outcome).toBe('complete');
  const firstData = trace.data.connections.map(({client}) => dataBytes(trace, each => each === client)[0]);
  expect(firstData).toEqual([CLIENT_HELLO, CLIENT_HELLO, CLIENT_HELLO]);
});

test('a later connection resumes the session with a ticket, as long as the client has one', () => {
  const serverFlights = (server: string): readonly number[] => {
    const document = {server, browser: 'chromium', page: {synthetic: {objects: 12, objectBytes: 50_000}}};
    const panes = [{pipeline: 'tcp', profile: 'modern', tls: true, connections: 6, pipelining: false}];
    const [trace] = traces({...document, path: {...path, rttMs: 100}, panes});
    if (trace === undefined) throw new Error('no trace');
    return trace.data.connections.map(({server}) => sum(dataBytes(trace, each => each === server).slice(0, 2)));
  };
  // nginx sends two tickets on the first connection, and all other connections are opened at the same time
  const [first = 0, ...later] = serverFlights('nginx');
  expect(later.map(bytes => bytes < first / 3)).toEqual([true, true, false, false, false]);
  // h2o sends one ticket, and the model of Caddy none
  expect(serverFlights('h2o').map(bytes => bytes < first / 3)).toEqual([false, true, false, false, false, false]);
  expect(new Set(serverFlights('caddy')).size).toBe(1);
});

test('a client keeps at most two tickets of a host, and uses none at other hosts', () => {
  const panes = [{pipeline: 'tcp', profile: 'modern', tls: true, connections: 6, pipelining: false}];
  const document = {page: 'today', browser: 'chromium', server: 'nginx', certificate: 'site'};
  const [trace] = traces({...document, path: {...path, rttMs: 100}, panes});
  if (trace === undefined) throw new Error('no trace');
  const ofPictures = trace.data.connections.filter(({origin}) => origin === 'https://img.pictures.test');
  // Three connections are opened before any of them has a ticket, and then three more. nginx has sent six tickets by
  // then, and the connections to the page's host have brought two tickets before.
  expect(ofPictures.map(({client}) => sum(dataBytes(trace, each => each === client).slice(0, 2)))).toEqual([
    1920, 1920, 1920, 2236, 2236, 1920,
  ]);
});

test('after a hand-over, connections resume sessions with the tickets that are left, and early data needs a second visit', () => {
  const firstFlights = (server: string, atMs: number, more: Json = {}): readonly number[] => {
    const changes = [{atMs, path: {handover: true}}];
    const panes = [{pipeline: 'tcp', profile: 'modern', tls: true, connections: 6, pipelining: false, ...Object(more)}];
    const document = {page: 'gallery', browser: 'chromium', server, changes};
    const [trace] = traces({...document, path: {...path, rttMs: 100}, panes});
    if (trace === undefined) throw new Error('no trace');
    return trace.data.connections.slice(6).map(({client, server}) => firstFlightBytes(trace, client, server));
  };
  const [full, resumed] = [1920, 2236];
  // the second and the third connection have used the tickets of the first, and have not brought new ones yet
  expect(firstFlights('nginx', 450)).toEqual([full, full, full, full, full, full]);
  // then the first new ticket arrives, and later more of them than a client keeps
  expect(firstFlights('nginx', 650)).toEqual([resumed, full, full, full, full, full]);
  expect(firstFlights('nginx', 700).slice(0, 3)).toEqual([resumed, resumed, full]);
  // the other servers send no tickets in the model, and the client is assumed to have enough
  for (const server of ['plain', 'caddy']) expect(new Set(firstFlights(server, 450))).toEqual(new Set([resumed]));
  // a request follows the ClientHello
  for (const bytes of firstFlights('nginx', 450, {visit: 'again'})) expect(bytes).toBeGreaterThan(resumed + 200);
});

test('a load with TLS is complete despite losses, and reproducible', () => {
  const document = {seed: 3, page, path: {...path, loss: 0.05}, panes: [{pipeline: 'tcp', tls: true}]};
  const [once, again] = [traces(document), traces(document)];
  expect(once[0]?.data.outcome).toBe('complete');
  expect(again[0]?.data).toEqual(once[0]?.data);
});

test('Chromium and Firefox send the first HTTP/2 frames in one packet, and most requests in a packet each', () => {
  const sentBy = (browser: string, server = 'nginx'): readonly number[] => {
    const document = {page: 'gallery', browser, server, path: {rateBps: 10_000_000, rttMs: 30, loss: 0}};
    const [trace] = traces({...document, panes: [{pipeline: 'h2', profile: 'modern', tls: true}]});
    if (trace === undefined) throw new Error('no trace');
    const clients = trace.data.connections.map(({client}) => client);
    return dataBytes(trace, endpoint => clients.includes(endpoint));
  };
  // A capture of Chromium 156 has packets with this many bytes of data: 1448 and 511 (ClientHello), 64 (Finished), 92
  // (preface, SETTINGS and WINDOW_UPDATE), 471 (the first GET), 31 (the acknowledgement of SETTINGS), 173, 60, 61, 61,
  // 60, 62, 61, 62 and 63 (one GET each), and 626 (two GETs, and the PRIORITY frames that layout causes, because ten
  // packets in flight fill the window).
  const [hello, , finished, frames, , settingsAck, ...requests] = sentBy('chromium');
  expect({hello, finished, frames, settingsAck}).toEqual({hello: 1448, finished: 64, frames: 92, settingsAck: 31});
  // one GET has fewer than 100 bytes here, and the gallery has eleven pictures. In the capture, layout causes 14
  // PRIORITY frames of 36 bytes, and 22 in the model, which moves the pictures in another order.
  expect(requests.map(bytes => Math.ceil(bytes / 100))).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 10]);
  // a server that orders responses by RFC 9218 gets eleven PRIORITY_UPDATE frames of 40 bytes instead
  expect(Math.ceil((sentBy('chromium', 'plain').at(-1) ?? 0) / 100)).toBe(6);
  // In captures of Firefox 153, each GET has a packet of its own, too: 64, 92, 324, 31, 177, 75, 71, 72, 72, 78, 72, 73
  // and 74 bytes, and 144 (two GETs).
  const [, , alsoFinished, alsoFrames, , alsoSettingsAck, ...others] = sentBy('firefox');
  expect([alsoFinished, alsoFrames, alsoSettingsAck]).toEqual([64, 92, 31]);
  expect(others.map(bytes => Math.ceil(bytes / 100))).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
});

/** Returns how many bytes of data a client sends before it has received data. */
function firstFlightBytes({data: {packets, chunks}}: Trace, client: number, server: number): number {
  let answeredNs = Number.POSITIVE_INFINITY;
  let bytes = 0;
  for (const [row, packet] of chunks.packet.entries()) {
    const endpoint = packets.endpoint[packet];
    if (endpoint === server) answeredNs = Math.min(answeredNs, packets.fateNs[packet] ?? answeredNs);
    if (endpoint === client && (packets.sentNs[packet] ?? 0) < answeredNs) bytes += chunks.bytes[row] ?? 0;
  }
  return bytes;
}

/** Returns the data in bytes of each packet with data that some endpoints sent, in order. */
function dataBytes({data: {packets, chunks}}: Trace, isSender: (endpoint: number) => boolean): readonly number[] {
  return [...chunks.packet.keys()]
    .filter(chunk => isSender(packets.endpoint[chunks.packet[chunk] ?? 0] ?? -1))
    .map(chunk => chunks.bytes[chunk] ?? 0);
}

function load(panes: readonly object[]): readonly [Trace, Trace] {
  const found = traces({
    seed: 1,
    page,
    path,
    panes: panes.map(pane => ({pipeline: 'tcp', ...pane})) as never,
  });
  return found as never as [Trace, Trace];
}

function requestMs(trace: Trace): number {
  return (trace.objects[0]?.requestNs ?? 0) / 1e6;
}

/** Returns the number of records for these responses. Each response is written at once. */
function recordsOf(responses: readonly number[]): number {
  let records = 0;
  for (const bytes of responses) {
    for (let left = bytes; left > 0; left -= recordContentBytes(records++));
  }
  return records;
}

function sum(column: ArrayLike<number>): number {
  return Array.from(column).reduce((total, value) => total + value, 0);
}
