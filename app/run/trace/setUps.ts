import {FATE, PACKET_KIND, SENDER_STATE} from './columns.ts';
import type {Trace} from './trace.ts';
import type {ConnectionTrace, TraceData} from './traceData.ts';

/** The times at which the client began and completed the handshakes of a connection, in ns since the run's start. */
export interface SetUp {
  readonly fromNs: number;
  /**
   * The time at which the TLS handshake begins. Over TCP, it begins when TCP is connected. In QUIC, it begins with
   * QUIC's handshake. SCTP's handshake follows that of DTLS, and counts as a part of the TLS handshake. The time is
   * null if the connection does not use TLS.
   */
  readonly tlsNs: number | null;
  readonly toNs: number;
}

/**
 * Returns a function that takes an object and returns the set-up of its connection. The returned function gives
 * undefined if the object was not the first that was requested on the connection, or if the connection has no set-up or
 * did not complete it. If there is only one connection, the trace contains the end of its set-up. All other times are
 * determined from the packets.
 */
export function setUpsOf(trace: Trace, {hasTls}: {readonly hasTls: boolean}): (object: number) => SetUp | undefined {
  const {objects, connections} = trace.data;
  const asked = [...objects.keys()]
    .filter(object => objects[object]?.requestNs !== null)
    .sort((a, b) => (objects[a]?.requestNs ?? 0) - (objects[b]?.requestNs ?? 0) || a - b);
  const used = new Set<number>();
  const setUps = new Map<number, SetUp>();
  for (const object of asked) {
    const connection = objects[object]?.connection ?? null;
    if (connection === null || used.has(connection)) continue;
    used.add(connection);
    const ends = connections[connection];
    const setUp = ends === undefined ? undefined : setUpOf(trace, ends, {hasTls});
    if (setUp !== undefined) setUps.set(object, setUp);
  }
  return object => setUps.get(object);
}

/** Returns when a client sent its first packet, in ns since the run's start. Undefined if it sent none. */
export function openedNs({packets}: TraceData, client: number): number | undefined {
  return packets.sentNs[packets.endpoint.indexOf(client)];
}

/** When a client began its handshakes, in ns. */
export interface SetUpStart {
  readonly fromNs: number;
  /**
   * The time at which TLS begins (see {@link SetUp.tlsNs}), or would begin if the connection used it. Undefined if the
   * transport was never connected.
   */
  readonly tlsNs: number | undefined;
}

/**
 * Returns when a client began the handshakes of its transport and of TLS. Undefined if its connection has no set-up, as
 * with bare datagrams.
 */
export function setUpStart(trace: Trace, client: number, {hasTls}: {readonly hasTls: boolean}): SetUpStart | undefined {
  const {packets} = trace.data;
  const fromNs = openedNs(trace.data, client);
  const isSetUp = (row: number) => packets.kind[row] === PACKET_KIND.setUp;
  if (fromNs === undefined || findSent(trace, client, isSetUp) === undefined) return undefined;
  // In QUIC, and in SCTP over DTLS, TLS begins with the first packet.
  const isTlsFirst = trace.pipeline.acknowledges === 'packets' || (hasTls && isOverSctp(trace));
  return {fromNs, tlsNs: isTlsFirst ? fromNs : connectedNs(trace, client)};
}

function setUpOf(
  trace: Trace,
  {client, server}: ConnectionTrace,
  {hasTls}: {readonly hasTls: boolean},
): SetUp | undefined {
  const {connections, setupNs} = trace.data;
  const start = setUpStart(trace, client, {hasTls});
  if (start === undefined) return undefined;
  const {fromNs, tlsNs: tcpNs} = start;
  const tlsNs = hasTls ? tcpNs : null;
  if (tlsNs === undefined) return undefined;
  const endNs = () => {
    if (isOverSctp(trace)) return associatedNs(trace, client, server);
    return tlsNs === null ? tcpNs : securedNs(trace, client, tlsNs);
  };
  const toNs = connections.length === 1 ? setupNs : endNs();
  if (toNs === undefined || toNs === null) return undefined;
  return {fromNs, tlsNs, toNs};
}

/**
 * Returns the time at which a TCP client was connected, which is the time of its first acknowledgement (RFC 9293 §3.5).
 */
function connectedNs(trace: Trace, client: number): number | undefined {
  const {cumulativeAck, sentNs} = trace.data.packets;
  const row = findSent(trace, client, each => !Number.isNaN(cumulativeAck[each] ?? Number.NaN));
  return row === undefined ? undefined : sentNs[row];
}

/** Whether the connections are SCTP associations. Panes with bare datagrams number chunks, too. */
function isOverSctp({pipeline}: Trace): boolean {
  return pipeline.numbers === 'chunk' && pipeline.isOfDatagrams !== true;
}

/**
 * Returns the time at which an SCTP client was connected: the server's COOKIE ACK arrived, or the client sent its first
 * data, which can share the packet of its COOKIE ECHO (RFC 9260 §5.1). Undefined if neither happened. The first SACK
 * is no sign of this, because it follows the first data of the server.
 */
function associatedNs(trace: Trace, client: number, server: number): number | undefined {
  const {packets, chunks, samples} = trace.data;
  const echo = trace.samplesOfEndpoint(client).find(row => samples.state[row] !== SENDER_STATE.connecting);
  // the client's state changes when it sends its COOKIE ECHO; a capture does not show the state
  const echoNs = echo === undefined ? Number.POSITIVE_INFINITY : (samples.atNs[echo] ?? 0);
  const isCookieAck = (row: number): boolean =>
    packets.kind[row] === PACKET_KIND.setUp &&
    packets.fate[row] === FATE.delivered &&
    (packets.fateNs[row] ?? 0) > echoNs;
  const cookieAck = findSent(trace, server, isCookieAck);
  const firstData = chunks.packet.find(packet => packets.endpoint[packet] === client);
  const ackNs = cookieAck === undefined ? undefined : packets.fateNs[cookieAck];
  const dataNs = firstData === undefined ? undefined : packets.sentNs[firstData];
  return ackNs === undefined || dataNs === undefined ? (ackNs ?? dataNs) : Math.min(ackNs, dataNs);
}

/** Returns the row of the first packet of an endpoint for which `isWanted` is true. */
function findSent({data}: Trace, endpoint: number, isWanted: (row: number) => boolean): number | undefined {
  const {endpoint: senders} = data.packets;
  for (let row = senders.indexOf(endpoint); row >= 0; row = senders.indexOf(endpoint, row + 1))
    if (isWanted(row)) return row;
  return undefined;
}

/**
 * Returns the time at which the client's TLS 1.3 handshake was complete. A client sends its ClientHello when TCP is
 * connected, and its next new data when the handshake is complete (RFC 8446 §2). Undefined if the client sent no such
 * data.
 */
function securedNs({data: {packets, chunks}}: Trace, client: number, connectedNs: number): number | undefined {
  for (const [chunk, packet] of chunks.packet.entries()) {
    const sentNs = packets.sentNs[packet] ?? 0;
    const isOwn = packets.endpoint[packet] === client && chunks.retransmission[chunk] === 0;
    if (isOwn && sentNs > connectedNs) return sentNs;
  }
  return undefined;
}
