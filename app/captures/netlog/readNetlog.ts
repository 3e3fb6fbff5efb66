import type {PipelineName} from '../../pipelines/index.ts';
import type {CapturedConnection, CapturedExchange, CapturedLoad, CapturedPacket, ReadCapture} from '../capturedLoad.ts';
import {fatesOf, quicPackets} from '../quic/quicPackets.ts';
import {type NetlogConnection, NetlogConnections} from './netlogConnections.ts';
import {readNetlogFile} from './netlogFile.ts';
import {bodyOf, type NetlogRequest, netlogRequests} from './netlogRequests.ts';
import {sessionDatagrams} from './quicSession.ts';

/**
 * Reads a network log of Chromium (`--log-net-log`, or chrome://net-export). Each page that the browser loaded is a
 * load. Times have a resolution of 1 ms, except for those of QUIC packets that were sent. The log has the packets of
 * QUIC, but not those of TCP. It has bodies if it was recorded with `--net-log-capture-mode=Everything`.
 */
export function readNetlog(text: string): ReadCapture {
  const file = readNetlogFile(text);
  if (!file.ok) return file;
  const connections = new NetlogConnections(file.events);
  const requests = netlogRequests(file.events);
  const loads = pagesOf(requests).flatMap(page => loadOf(page, connections, file.notes) ?? []);
  const [first, ...others] = loads;
  if (first === undefined) return {ok: false, message: 'The network log has no request that was sent.'};
  return {ok: true, loads: [first, ...others]};
}

/**
 * Groups the requests by page. A request belongs to the last page of its site that the browser had begun to load. If
 * the log has no page, all requests are one load.
 */
function pagesOf(requests: readonly NetlogRequest[]): readonly (readonly NetlogRequest[])[] {
  const pages: NetlogRequest[][] = [];
  for (const request of requests) {
    if (request.isMainFrame) pages.push([request]);
    else pages.findLast(([page]) => page?.site === request.site)?.push(request);
  }
  return pages.length === 0 ? [requests] : pages;
}

/** Returns the load of a page. Undefined if none of its requests was sent. */
function loadOf(
  page: readonly NetlogRequest[],
  connections: NetlogConnections,
  fileNotes: readonly string[],
): CapturedLoad | undefined {
  const sent = page.filter(({sentNs}) => sentNs !== undefined);
  if (sent.length === 0) return undefined;
  const numbers = new Map<number, number>();
  for (const request of sent) {
    const source = connections.of(request);
    if (source !== undefined && !numbers.has(source)) numbers.set(source, numbers.size);
  }
  const used = [...numbers.keys()].map(source => connections.read(source));
  const all = sent
    .map(request => exchangeOf(request, {connections, numbers}))
    .toSorted((a, b) => a.requestNs - b.requestNs);
  const packets = used.flatMap((connection, number) => packetsOf(connection, number, all));
  const openNs = [...used, ...packets.map(({atNs}) => ({openNs: atNs}))].flatMap(each => each.openNs ?? []);
  const startNs = openNs.reduce((least, ns) => Math.min(least, ns), page[0]?.startNs ?? 0);
  const notes = [...fileNotes, ...unsentNotes(page)];
  return moved(
    {
      kind: 'netlog',
      pipeline: pipelineOf(used),
      seenAt: 'client',
      connections: used.map((connection, number) => connectionOf(connection, number, all)),
      exchanges: all,
      packets: packets.toSorted((a, b) => a.atNs - b.atNs),
      samples: [],
      notes: packets.length > 0 ? notes : [...notes, 'A network log has no packets of TCP.'],
    },
    startNs,
  );
}

function exchangeOf(
  request: NetlogRequest,
  {connections, numbers}: {readonly connections: NetlogConnections; readonly numbers: ReadonlyMap<number, number>},
): CapturedExchange {
  const source = connections.of(request);
  // Bodies without a content coding are logged only once.
  const parts = request.received.length > 0 ? request.received : request.decoded;
  let bytes = 0;
  const deliveries = parts.flatMap(part => {
    bytes += part.bytes;
    return part.bytes > 0 ? [{atNs: part.atNs, bytes}] : [];
  });
  const session = source === undefined ? undefined : connections.read(source);
  return {
    connection: numbers.get(source ?? -1) ?? null,
    stream: session?.protocol === 'h3' ? quicStream(session, request) : connections.streamOf(request),
    method: request.method,
    url: request.url,
    requestFields: request.requestFields,
    responseFields: request.responseFields,
    requestNs: request.sentNs ?? 0,
    firstByteNs: request.headerNs,
    completeNs: request.endNs,
    status: request.status,
    requestBytes: 0,
    headerBytes: 0,
    bodyBytes: bytes,
    body: request.endNs === null ? null : bodyOf(request),
    deliveries,
    initiator: null,
    priority: request.priority,
  };
}

/** Returns the QUIC stream of a request, by its address and time. */
function quicStream({events}: NetlogConnection, {url, sentNs = 0}: NetlogRequest): number {
  const path = /^https?:\/\/[^/?]*(.*)$/s.exec(url)?.[1] ?? '';
  const sent = events.find(
    ({name, params, atNs}) =>
      name === 'QUIC_CHROMIUM_CLIENT_STREAM_SEND_REQUEST_HEADERS' &&
      atNs >= sentNs &&
      Array.isArray(params['headers']) &&
      params['headers'].includes(`:path: ${path === '' ? '/' : path}`),
  );
  const stream = sent?.params['quic_stream_id'];
  return typeof stream === 'number' && stream >= 0 ? stream : 0;
}

function packetsOf(
  {protocol, events}: NetlogConnection,
  number: number,
  exchanges: readonly CapturedExchange[],
): readonly CapturedPacket[] {
  if (protocol !== 'h3') return [];
  const datagrams = sessionDatagrams(events);
  const byStream = new Map<number, number>();
  for (const [index, {connection, stream}] of exchanges.entries())
    if (connection === number) byStream.set(stream, index);
  const packets = quicPackets(datagrams, fatesOf(datagrams), stream => byStream.get(stream));
  return packets.map(packet => ({...packet, connection: number}));
}

function connectionOf(
  {hasTls, openNs, connectedNs, tlsNs, streams}: NetlogConnection,
  number: number,
  exchanges: readonly CapturedExchange[],
): CapturedConnection {
  const first = exchanges.find(({connection}) => connection === number);
  const origin = /^[^:]+:\/\/[^/?]+/.exec(first?.url ?? '')?.[0] ?? null;
  return {origin, hasTls, openNs, connectedNs, tlsNs, streams};
}

/** Returns the pipeline of the page's first connection. */
function pipelineOf([first]: readonly NetlogConnection[]): PipelineName {
  if (first?.protocol === 'h3') return 'h3';
  return first?.protocol === 'h2' ? 'h2' : 'tcp';
}

function unsentNotes(page: readonly NetlogRequest[]): readonly string[] {
  const unsent = page.filter(({sentNs}) => sentNs === undefined);
  const cached = unsent.filter(({headerNs, decoded}) => headerNs !== null || decoded.length > 0).length;
  const failed = unsent.length - cached;
  return [
    ...(cached > 0 ? [`Requests that the browser's cache answered were left out: ${cached}.`] : []),
    ...(failed > 0 ? [`Requests that were never sent were left out: ${failed}.`] : []),
  ];
}

/** Makes times count from the load's first event. */
function moved(load: CapturedLoad, startNs: number): CapturedLoad {
  const of = (ns: number | null) => (ns === null ? null : ns - startNs);
  return {
    ...load,
    connections: load.connections.map(({openNs, connectedNs, tlsNs, ...rest}) => ({
      ...rest,
      openNs: of(openNs),
      connectedNs: of(connectedNs),
      tlsNs: of(tlsNs),
    })),
    exchanges: load.exchanges.map(exchange => ({
      ...exchange,
      requestNs: exchange.requestNs - startNs,
      firstByteNs: of(exchange.firstByteNs),
      completeNs: of(exchange.completeNs),
      deliveries: exchange.deliveries.map(({atNs, bytes}) => ({atNs: atNs - startNs, bytes})),
    })),
    packets: load.packets.map(packet => ({...packet, atNs: packet.atNs - startNs})),
  };
}
