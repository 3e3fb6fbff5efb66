import type {PipelineName} from '../../pipelines/index.ts';
import type {CapturedConnection, CapturedExchange, CapturedLoad, CapturedPacket, ReadCapture} from '../capturedLoad.ts';
import {lostFates} from '../quic/lostFates.ts';
import {quicPackets} from '../quic/quicPackets.ts';
import {pageFirst} from '../requestOrder.ts';
import {type NetlogConnection, NetlogConnections} from './netlogConnections.ts';
import {readNetlogFile} from './netlogFile.ts';
import {bodyOf, type NetlogRequest, netlogRequests} from './netlogRequests.ts';
import {lostPackets, sessionDatagrams} from './quicSession.ts';

/**
 * Reads a network log of Chromium (`--log-net-log`, or chrome://net-export). Each page that the browser loaded is a
 * load. Times have a resolution of 1 ms, except for those of QUIC packets that were sent. The log has the packets of
 * QUIC, but not those of TCP. It has bodies only if raw bytes were recorded (`--net-log-capture-mode=Everything`).
 */
export function readNetlog(text: string): ReadCapture {
  const file = readNetlogFile(text);
  if (!file.ok) return file;
  const connections = new NetlogConnections(file.events);
  const requests = netlogRequests(file.events);
  const pages = pagesOf(requests);
  const loads = pages.flatMap((page, i) => {
    const untilNs = pages[i + 1]?.[0]?.startNs ?? Number.POSITIVE_INFINITY;
    return loadOf(page, connections, {untilNs, fileNotes: file.notes}) ?? [];
  });
  const [first, ...others] = loads;
  if (first === undefined) return {ok: false, message: 'The network log has no request that was sent.'};
  return {ok: true, loads: [first, ...others]};
}

/**
 * Groups the requests by page. A request belongs to the last page of its site that the browser had begun to load. A
 * request without such a page is left out. If the log has no page at all, all requests are one load.
 */
function pagesOf(requests: readonly NetlogRequest[]): readonly (readonly NetlogRequest[])[] {
  const pages: NetlogRequest[][] = [];
  const lastOfSite = new Map<string, NetlogRequest[]>();
  for (const request of requests) {
    if (request.isMainFrame) {
      const page = [request];
      pages.push(page);
      lastOfSite.set(request.site, page);
    } else lastOfSite.get(request.site)?.push(request);
  }
  return pages.length === 0 ? [requests] : pages;
}

/** Returns the load of a page. Undefined if none of its requests was sent. */
function loadOf(
  page: readonly NetlogRequest[],
  connections: NetlogConnections,
  {untilNs, fileNotes}: {readonly untilNs: number; readonly fileNotes: readonly string[]},
): CapturedLoad | undefined {
  const sent = page.filter(({sentNs}) => sentNs !== undefined);
  if (sent.length === 0) return undefined;
  const numbers = new Map<number, number>();
  for (const request of sent) {
    const source = connections.of(request);
    if (source !== undefined && !numbers.has(source)) numbers.set(source, numbers.size);
  }
  const used = [...numbers.keys()].map(source => timesOf(connections.read(source), connections.isUsed(source)));
  const ordered = pageFirst(sent.map(request => ({request, exchange: exchangeOf(request, {connections, numbers})})));
  const all = ordered.map(({exchange}) => exchange);
  const byStream = new Map(
    ordered.map(({request, exchange}, i) => [`${exchange.connection} ${connections.streamOf(request)}`, i]),
  );
  const origins = new Map(
    all.toReversed().map(({connection, url}) => [connection, /^[^:]+:\/\/[^/?]+/.exec(url)?.[0] ?? null]),
  );
  const startedNs = page[0]?.startNs ?? 0;
  const packets = [...numbers].flatMap(([source, number]) => {
    // Other pages may use the same connection. Packets after the start of the next page are left out. If an earlier
    // page used the connection, packets before the start of this page are left out, too.
    const fromNs = connections.isUsed(source) ? startedNs : Number.NEGATIVE_INFINITY;
    const own = packetsOf(connections.read(source), stream => byStream.get(`${number} ${stream}`));
    return own.filter(({atNs}) => atNs >= fromNs && atNs < untilNs).map(packet => ({...packet, connection: number}));
  });
  for (const source of numbers.keys()) connections.use(source);
  const beginNs = [
    ...used.map(({openNs}) => openNs),
    ...packets.map(({atNs}) => atNs),
    ...all.map(({requestNs}) => requestNs),
  ];
  const startNs = beginNs.reduce<number>((least, ns) => Math.min(least, ns ?? least), startedNs);
  const notes = [...fileNotes, ...unsentNotes(page)];
  return moved(
    {
      kind: 'netlog',
      pipeline: pipelineOf([...numbers.keys()].map(source => connections.read(source))),
      seenAt: 'client',
      connections: used.map((connection, number) => ({...connection, origin: origins.get(number) ?? null})),
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
  // A body without a content coding is logged only once, as decoded.
  const parts = request.received.length > 0 ? request.received : request.decoded;
  let bytes = 0;
  const deliveries = parts.flatMap(part => {
    bytes += part.bytes;
    return part.bytes > 0 ? [{atNs: part.atNs, bytes}] : [];
  });
  return {
    connection: numbers.get(source ?? -1) ?? null,
    stream: connections.streamOf(request) ?? 0,
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

function packetsOf(
  {protocol, events}: NetlogConnection,
  exchangeOf: (stream: number) => number | undefined,
): readonly CapturedPacket[] {
  if (protocol !== 'h3') return [];
  const datagrams = sessionDatagrams(events);
  return quicPackets(datagrams, lostFates(datagrams, lostPackets(events)), exchangeOf);
}

/**
 * Returns a connection with its times. If an earlier page used the connection, the times belong to that page's load,
 * and are null here.
 */
function timesOf(
  {hasTls, openNs, connectedNs, tlsNs, streams}: NetlogConnection,
  isUsed: boolean,
): Omit<CapturedConnection, 'origin'> {
  if (isUsed) return {hasTls, openNs: null, connectedNs: null, tlsNs: null, streams};
  return {hasTls, openNs, connectedNs, tlsNs, streams};
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
