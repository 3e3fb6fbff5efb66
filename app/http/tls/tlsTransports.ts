import {behind, Joiner} from '../bytes.ts';
import type {Connection, Piece, TcpEndOptions, TcpTransports, TransportEvent} from '../transports.ts';
import {CLIENT_FINISHED, CLIENT_HELLO, HandshakeReader, SERVER_FLIGHT} from './handshake.ts';
import {CONTENT, RecordReader, recordContentBytes, sealing, TlsError, type TlsRecord} from './record.ts';

/**
 * A network whose TCP connections are TLS 1.3's (RFC 8446): its round trip and its sizes, nothing is encrypted. What
 * the network tells goes through {@link TlsTransports.handle}; an end is connected when its handshake is done. What
 * the handshake and the records need is of no object.
 *
 * After {@link TlsTransports.handle}, call {@link TlsTransports.flush}.
 */
export class TlsTransports implements TcpTransports {
  readonly #network: TcpTransports;
  readonly #ends = new Map<number, End>();

  constructor(network: TcpTransports) {
    this.#network = network;
  }

  openTcp(options: {client: TcpEndOptions; server: TcpEndOptions}): Connection {
    const connection = this.#network.openTcp({...options, port: HTTPS_PORT});
    this.#ends.set(connection.client, new End('client'));
    this.#ends.set(connection.server, new End('server'));
    return connection;
  }

  /** What that means to who uses the connection. */
  handle(event: TransportEvent): readonly TransportEvent[] {
    const {endpoint} = event;
    const end = this.#ends.get(endpoint);
    if (event.type === 'closed') end?.handleGone();
    if (end === undefined || (event.type !== 'connected' && event.type !== 'readable')) return [event];
    if (end.isBroken) return [];
    if (event.type === 'connected') {
      if (end.role === 'client') pushAll(end, CLIENT_HELLO);
      return [];
    }
    return this.#handleReadable(end, event);
  }

  /** Writes what was left; gives whether something still is. */
  flush(): boolean {
    let isLeft = false;
    for (const endpoint of this.#ends.keys()) isLeft = !this.#flushEnd(endpoint) || isLeft;
    return isLeft;
  }

  /** Each piece in as many records as it takes; some wait for {@link TlsTransports.flush}. */
  write(endpoint: number, _stream: number, pieces: readonly Piece[]): number {
    const end = this.#endOf(endpoint);
    let all = 0;
    for (const {bytes, object} of pieces) {
      let taken = 0;
      while (taken < bytes.length && (end.unsentBytes < MOST_WAITING_BYTES || this.#flushEnd(endpoint))) {
        const content = bytes.subarray(taken, taken + recordContentBytes(end.sealed++));
        const [before, after] = sealing(CONTENT.applicationData, content.length);
        end.push(before, null);
        end.push(content, object);
        end.push(after, null);
        taken += content.length;
      }
      all += taken;
      if (taken < bytes.length) break;
    }
    return all;
  }

  /** Of whole records; holds until the next are read. */
  read(endpoint: number): Uint8Array {
    const {joiner, opened} = this.#endOf(endpoint);
    return joiner.join(opened.splice(0));
  }

  connect(endpoint: number): void {
    this.#network.connect(endpoint);
  }

  #handleReadable(
    end: End,
    {endpoint, stream}: Extract<TransportEvent, {type: 'readable'}>,
  ): readonly TransportEvent[] {
    const events: TransportEvent[] = [];
    const wasDone = end.handshake.isDone;
    try {
      for (const record of end.records.push(this.#network.read(endpoint, stream))) handleRecord(end, record);
    } catch (error) {
      if (!(error instanceof TlsError)) throw error;
      end.isBroken = true;
      return [{endpoint, type: 'closed', reason: `TLS: ${error.message}`}];
    }
    if (end.handshake.isDone && !wasDone) events.push({endpoint, type: 'connected', streams: 1});
    if (end.opened.length > 0) events.push({endpoint, type: 'readable', stream});
    return events;
  }

  /** False if the transport did not take all. */
  #flushEnd(endpoint: number): boolean {
    const end = this.#endOf(endpoint);
    if (end.unsent.length === 0) return true;
    const taken = this.#network.write(endpoint, 0, end.unsent);
    end.unsent = behind(end.unsent, taken);
    end.unsentBytes -= taken;
    return end.unsent.length === 0;
  }

  #endOf(endpoint: number): End {
    const end = this.#ends.get(endpoint);
    if (end === undefined) throw new RangeError(`invalid endpoint: ${endpoint} (no TCP connection's)`);
    return end;
  }
}

/** @throws TlsError for a record that is not its turn. */
function handleRecord(end: End, {type, content}: TlsRecord): void {
  if (type === CONTENT.changeCipherSpec) return; // RFC 8446 §5: dropped
  if (type === CONTENT.applicationData) {
    if (!end.handshake.isDone) throw new TlsError('data before the handshake');
    if (content.length > 0) end.opened.push({bytes: content});
    return;
  }
  const wasDone = end.handshake.isDone;
  const messages = end.handshake.push(content);
  if (messages > 0 && end.role === 'server' && !end.hasAnswered) {
    end.hasAnswered = true;
    pushAll(end, SERVER_FLIGHT);
  }
  if (end.handshake.isDone && !wasDone && end.role === 'client') pushAll(end, CLIENT_FINISHED);
}

function pushAll(end: End, records: readonly Uint8Array[]): void {
  for (const record of records) end.push(record, null);
}

/** One end of a connection. */
class End {
  readonly role: 'client' | 'server';
  readonly records = new RecordReader();
  /** Of the other end. */
  readonly handshake: HandshakeReader;
  /** Contents that can be read. */
  readonly opened: Pick<Piece, 'bytes'>[] = [];
  readonly joiner = new Joiner();
  /** What the transport has not taken yet. */
  unsent: Piece[] = [];
  unsentBytes = 0;
  /** Records of data so far. */
  sealed = 0;
  hasAnswered = false;
  isBroken = false;
  #isGone = false;

  constructor(role: 'client' | 'server') {
    this.role = role;
    this.handshake = new HandshakeReader(role === 'client' ? 'server' : 'client');
  }

  /** Its connection is closed: nobody takes what is left. */
  handleGone(): void {
    this.#isGone = true;
    this.unsent = [];
    this.unsentBytes = 0;
  }

  /** To be written. */
  push(bytes: Uint8Array, object: number | null): void {
    if (this.#isGone) return;
    this.unsentBytes += bytes.length;
    this.unsent.push({bytes, object});
  }
}

/** More wait only for the transport: what a larger record has. */
const MOST_WAITING_BYTES = 16_384;

/** RFC 9110 §4.2.2. */
const HTTPS_PORT = 443;
