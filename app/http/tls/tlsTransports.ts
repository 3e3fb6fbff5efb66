import {Joiner, withoutFirst} from '../buffers.ts';
import {type Exchange, hasEnded} from '../exchange.ts';
import type {StatedPriority} from '../priority.ts';
import type {Connection, OpenTcp, Piece, TcpTransports, TransportEvent} from '../transports.ts';
import {type Flights, flightsOf, HandshakeReader, type TlsServerRules, type TlsStart} from './tlsHandshake.ts';
import {
  CONTENT,
  MOST_CONTENT_BYTES,
  RecordReader,
  recordContentBytes,
  sealing,
  TlsError,
  type TlsRecord,
} from './tlsRecord.ts';
import {TlsTickets} from './tlsTickets.ts';

/**
 * Runs an exchange over TLS 1.3. The exchange receives `connected` events when the TLS handshakes are complete, or
 * earlier with early data.
 */
export class OverTls implements Exchange {
  readonly #transports: TlsTransports;
  readonly #inner: Exchange;

  constructor(
    network: TcpTransports,
    start: TlsStart,
    open: (network: TcpTransports) => Exchange,
    tickets?: TlsTickets,
  ) {
    this.#transports = new TlsTransports(network, start, tickets);
    this.#inner = open(this.#transports);
  }

  get connections(): readonly Connection[] {
    return this.#inner.connections;
  }

  start(): void {
    this.#inner.start();
  }

  request(object: number, url: string, priority?: StatedPriority): void {
    this.#inner.request(object, url, priority);
  }

  reprioritize(object: number, priority: StatedPriority): void {
    this.#inner.reprioritize?.(object, priority);
  }

  handle(event: TransportEvent, nowNs: number): void {
    for (const resulting of this.#transports.handle(event)) this.#inner.handle(resulting, nowNs);
  }

  write(nowNs: number): boolean {
    this.#transports.flush();
    const isRefused = this.#inner.write(nowNs);
    return this.#transports.flush() || isRefused;
  }

  pollTimeoutNs(nowNs: number): number | undefined {
    return this.#inner.pollTimeoutNs(nowNs);
  }

  hasEnded(isClosed: (client: number) => boolean): boolean {
    return hasEnded(this.#inner, isClosed);
  }
}

/**
 * A network whose TCP connections carry TLS 1.3 (RFC 8446). The round trip and the sizes are those of TLS, but nothing
 * is encrypted. Pass every event of the network to {@link TlsTransports.handle}, and call {@link TlsTransports.flush}
 * after it. A `connected` event is returned when an end may send and receive data, which is when its handshake is
 * complete, or earlier with early data. The bytes of handshakes and of record headers belong to no object.
 *
 * The client keeps the tickets that the server sends. Each connection that is established later uses one of them to
 * resume the session, as long as there are tickets. A ticket adds no early data. All connections must be to the same
 * server.
 */
export class TlsTransports implements TcpTransports {
  readonly #network: TcpTransports;
  readonly #start: TlsStart;
  readonly #ends = new Map<number, End>();
  /** Maps each client end that is not connected yet to its server end. */
  readonly #unconnected = new Map<number, number>();
  readonly #tickets: TlsTickets;

  /** `tickets` are those that the client has from earlier connections to the server. They are used up and refilled. */
  constructor(network: TcpTransports, start: TlsStart, tickets = new TlsTickets()) {
    this.#network = network;
    this.#start = start;
    this.#tickets = tickets;
  }

  openTcp(options: OpenTcp): Connection {
    const server = this.#start.server === undefined ? options.server : {...options.server, writesApart: true};
    const client = this.#start.clientWritesApart === true ? {...options.client, writesApart: true} : options.client;
    const connection = this.#network.openTcp({...options, client, server, port: HTTPS_PORT});
    this.#unconnected.set(connection.client, connection.server);
    this.#setEnds(connection, this.#start);
    return connection;
  }

  /** Handles an event of the network. Returns the resulting events for the user of the connection. */
  handle(event: TransportEvent): readonly TransportEvent[] {
    const {endpoint} = event;
    if (event.type === 'connected') this.#startSession(endpoint);
    const end = this.#ends.get(endpoint);
    if (event.type === 'closed') end?.handleGone();
    if (end === undefined || (event.type !== 'connected' && event.type !== 'readable')) return [event];
    if (end.isBroken) return [];
    if (event.type === 'readable') return this.#handleReadable(end, event);
    if (end.role === 'server') return [];
    end.pushRecords(end.flights.clientHello);
    return end.becomesReady() ? [event] : [{endpoint, type: 'established'}];
  }

  /**
   * Writes the records that the transports have not accepted yet. Returns true if the transports still do not accept
   * all of them.
   */
  flush(): boolean {
    let isLeft = false;
    for (const [endpoint, end] of this.#ends) isLeft = !this.#flushEnd(endpoint, end) || isLeft;
    return isLeft;
  }

  /**
   * Writes pieces as records. A server puts as many pieces into a record as its rules allow. A client writes each piece
   * as records of its own, as Chromium does with the frames of HTTP/2 (`SpdySession::DoWrite`). Returns the number of
   * bytes accepted. Some of them may wait for {@link TlsTransports.flush}.
   */
  write(endpoint: number, _stream: number, pieces: readonly Piece[]): number {
    const end = this.#endOf(endpoint);
    let all = 0;
    for (const group of end.groupsOf(pieces)) {
      let left: readonly Piece[] = group;
      while (left.length > 0) {
        if (end.unsentBytes >= MOST_WAITING_BYTES && !this.#flushEnd(endpoint, end)) return all;
        const {content, bytes} = firstBytes(left, end.nextContentBytes());
        end.seal(content, bytes);
        all += bytes;
        left = withoutFirst(left, bytes);
      }
    }
    return all;
  }

  /** Returns the contents of complete records. The result is valid until the next call. */
  read(endpoint: number): Uint8Array {
    const {joiner, opened} = this.#endOf(endpoint);
    return joiner.join(opened.splice(0));
  }

  connect(endpoint: number): void {
    this.#network.connect(endpoint);
  }

  /** Decides whether a client that is now connected resumes a session (`SSLClientSocketImpl::Init` of Chromium). */
  #startSession(client: number): void {
    const server = this.#unconnected.get(client);
    if (server === undefined) return;
    this.#unconnected.delete(client);
    if (this.#tickets.take()) this.#setEnds({client, server}, {...this.#start, resumes: true});
  }

  #setEnds({client, server}: Pick<Connection, 'client' | 'server'>, start: TlsStart): void {
    this.#ends.set(client, new End('client', start));
    this.#ends.set(server, new End('server', start));
  }

  #handleReadable(
    end: End,
    {endpoint, stream}: Extract<TransportEvent, {type: 'readable'}>,
  ): readonly TransportEvent[] {
    const events: TransportEvent[] = [];
    try {
      for (const record of end.records.push(this.#network.read(endpoint, stream))) {
        this.#tickets.add(handleRecord(end, record));
      }
    } catch (error) {
      if (!(error instanceof TlsError)) throw error;
      end.isBroken = true;
      return [{endpoint, type: 'closed', reason: `TLS: ${error.message}`}];
    }
    if (end.becomesReady()) events.push({endpoint, type: 'connected', streams: 1});
    if (end.opened.length > 0) events.push({endpoint, type: 'readable', stream});
    return events;
  }

  /** Returns false if the transport did not accept everything. */
  #flushEnd(endpoint: number, end: End): boolean {
    for (let write = end.unsent[0]; write !== undefined; write = end.unsent[0]) {
      const taken = this.#network.write(endpoint, 0, write);
      const left = withoutFirst(write, taken);
      end.unsentBytes -= taken;
      if (left.length > 0) {
        end.unsent[0] = left;
        return false;
      }
      end.unsent.shift();
    }
    return true;
  }

  #endOf(endpoint: number): End {
    const end = this.#ends.get(endpoint);
    if (end === undefined) throw new RangeError(`invalid endpoint: ${endpoint} (belongs to no TCP connection)`);
    return end;
  }
}

/** Handles a received record. Returns the number of tickets in it. @throws TlsError if the record is out of order */
function handleRecord(end: End, {type, content}: TlsRecord): number {
  if (type === CONTENT.changeCipherSpec) return 0; // such records are ignored (RFC 8446 §5)
  if (type === CONTENT.applicationData) {
    if (!end.isReady) throw new TlsError('application data before the end of the handshake');
    if (content.length > 0) end.opened.push({bytes: content});
    return 0;
  }
  const wasDone = end.handshake.isDone;
  const messages = end.handshake.push(content);
  if (messages > 0 && end.role === 'server' && !end.hasAnswered) {
    end.hasAnswered = true;
    end.pushRecords(end.flights.server);
  }
  if (wasDone) return messages;
  if (!end.handshake.isDone) return 0;
  if (end.role === 'client') end.pushRecords(end.flights.clientFinished);
  else for (const ticket of end.flights.tickets) end.pushRecords([ticket]);
  return 0;
}

/** Returns the first bytes of a sequence of pieces, at most `most` bytes, and how many these are. */
function firstBytes(
  pieces: readonly Piece[],
  most: number,
): {readonly content: readonly Piece[]; readonly bytes: number} {
  const content: Piece[] = [];
  let left = most;
  for (const piece of pieces) {
    if (left === 0) break;
    const isWhole = piece.bytes.length <= left;
    content.push(isWhole ? piece : {bytes: piece.bytes.subarray(0, left), object: piece.object});
    left -= Math.min(left, piece.bytes.length);
  }
  return {content, bytes: most - left};
}

/** One end of a connection. */
class End {
  readonly role: 'client' | 'server';
  readonly flights: Flights;
  readonly #hasEarlyData: boolean;
  readonly records = new RecordReader();
  /** Reads the other end's handshake. */
  readonly handshake: HandshakeReader;
  /** The contents of complete records that have not been read yet. */
  readonly opened: Pick<Piece, 'bytes'>[] = [];
  readonly joiner = new Joiner();
  /** The writes that the transport has not accepted completely yet, each as a list of pieces. */
  unsent: Piece[][] = [];
  unsentBytes = 0;
  /** The number of data records that this end has made. They are counted only if records grow. */
  #sealed = 0;
  /** Whether each data record, and each group of handshake records, is a write of its own. */
  readonly #isApart: boolean;
  /**
   * The rules of a server. Undefined for a client, and for a server that joins all records that wait to be written into
   * one write.
   */
  readonly #rules: TlsServerRules | undefined;
  hasAnswered = false;
  isBroken = false;
  #isGone = false;
  #wasReady = false;

  constructor(role: 'client' | 'server', start: TlsStart) {
    this.role = role;
    this.#rules = role === 'server' ? start.server : undefined;
    this.#isApart = role === 'client' ? start.clientWritesApart === true : this.#rules !== undefined;
    this.flights = flightsOf(start);
    this.#hasEarlyData = start.hasEarlyData;
    this.handshake = new HandshakeReader(role === 'client' ? 'server' : 'client', start);
  }

  /**
   * Whether the end may send and receive data. With early data, a client may send when it has sent its first messages,
   * and a server when it has answered them (RFC 8446 §2.3).
   */
  get isReady(): boolean {
    return this.handshake.isDone || (this.#hasEarlyData && (this.role === 'client' || this.hasAnswered));
  }

  /** Returns whether the end is ready now and was not ready at the last call. */
  becomesReady(): boolean {
    const wasReady = this.#wasReady;
    this.#wasReady = this.isReady;
    return this.#wasReady && !wasReady;
  }

  /** Called when the connection is closed. Drops the bytes that are not written yet. */
  handleGone(): void {
    this.#isGone = true;
    this.unsent = [];
    this.unsentBytes = 0;
  }

  /** Queues a data record with `bytes` bytes of content. */
  seal(content: readonly Piece[], bytes: number): void {
    const [before, after] = sealing(CONTENT.applicationData, bytes);
    this.#push([{bytes: before, object: null}, ...content, {bytes: after, object: null}]);
  }

  /** Queues records that are written together and belong to no object. */
  pushRecords(records: readonly Uint8Array[]): void {
    this.#push(records.map(bytes => ({bytes, object: null})));
  }

  /** Queues bytes. If the end writes records apart, the bytes are a write of their own. */
  #push(pieces: readonly Piece[]): void {
    if (this.#isGone) return;
    for (const {bytes} of pieces) this.unsentBytes += bytes.length;
    if (this.#isApart || this.unsent.length === 0) this.unsent.push([...pieces]);
    else this.unsent.at(-1)?.push(...pieces);
  }

  /** Divides the pieces into groups. Pieces of different groups never share a record. */
  groupsOf(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
    if (this.role === 'client' || this.#rules?.separatesFrames === true) return pieces.map(piece => [piece]);
    if (this.#rules === undefined) return [pieces];
    const groups: Piece[][] = [];
    for (const piece of pieces) {
      const group = groups.at(-1);
      if (group === undefined || (group[0]?.object === null) !== (piece.object === null)) groups.push([piece]);
      else group.push(piece);
    }
    return groups;
  }

  /** Returns the largest content of the next data record in bytes. */
  nextContentBytes(): number {
    return this.#rules?.growsRecords === false ? MOST_CONTENT_BYTES : recordContentBytes(this.#sealed++);
  }
}

/**
 * If this many bytes wait, no more records are made until the transport has accepted all of these bytes. The number is
 * the size of the largest record's content.
 */
const MOST_WAITING_BYTES = 16_384;

/** The default port of https (RFC 9110 §4.2.2). */
const HTTPS_PORT = 443;
