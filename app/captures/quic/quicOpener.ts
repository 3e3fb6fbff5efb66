import {wholeNumber} from '../../run/packets/quicParts.ts';
import type {CaptureCrypto} from '../capturedLoad.ts';
import {type LongHeader, type QuicHeader, readQuicHeader, VERSION_1} from './quicHeader.ts';
import {CIPHER_SUITES, type CipherSuite, initialKeys, QuicKeys} from './quicKeys.ts';

/** A QUIC packet, and its payload if it could be opened. */
export interface OpenedPacket {
  readonly type: QuicHeader['type'];
  /** Null for packets without a number, and for packets that could not be opened. */
  readonly number: number | null;
  /** The frames of the packet. Null if the packet could not be opened, or has none. */
  readonly payload: Uint8Array | null;
}

/** The secrets of a connection's TLS session by the labels of the key log, and the cipher suite if it is known. */
export interface SessionSecrets {
  readonly secrets: ReadonlyMap<string, Uint8Array>;
  readonly suite: number | undefined;
  /** The version on which both ends agreed (RFC 9369 §4). 1-RTT packets do not state it. */
  readonly version: number;
}

type Direction = 'down' | 'up';

/**
 * Removes the protection of the packets of one connection (RFC 9001 §5). The datagrams must be opened in the order in
 * which they were recorded. Initial packets need no secrets, because everyone can derive their keys.
 */
export class QuicOpener {
  readonly #crypto: CaptureCrypto;
  readonly #session: SessionSecrets | undefined;
  /** The connection IDs from which the keys of Initial packets were derived, the oldest first. */
  #firstIds: readonly Uint8Array[] = [];
  readonly #initials = new Map<string, QuicKeys | undefined>();
  readonly #keys = new Map<string, readonly QuicKeys[]>();
  readonly #next = new Map<string, number>();
  readonly #oneRtt = {down: new OneRtt(), up: new OneRtt()};
  /**
   * For each direction, the possible sizes of the connection ID in short headers. These headers do not state the size.
   */
  readonly #idSizes = {down: new Set<number>(), up: new Set<number>()};

  readonly #segmentBytes = {down: MOST_SEGMENT_BYTES, up: MOST_SEGMENT_BYTES};

  /** How many datagrams could not be divided although all sizes were tried. */
  #undivided = 0;

  /** Without a session only Initial packets are opened. */
  constructor(crypto: CaptureCrypto, session?: SessionSecrets) {
    this.#crypto = crypto;
    this.#session = session;
  }

  /**
   * Divides a recorded datagram into segments, which are the datagrams that were on the wire. A recorded datagram has
   * several segments if the sender's network card divided it after it was recorded, or if the receiver's card joined
   * them before they were recorded (UDP segmentation offload). All segments but the last have the same size. To find
   * this size, sizes are tried until the first packet can be opened.
   */
  segmentsOf(datagram: Uint8Array, direction: Direction): readonly Uint8Array[] {
    const isShort = (datagram[0] ?? 0) < 0x80;
    const opens = (bytes: number) => this.#openShort(datagram.subarray(0, bytes), 0, direction).payload !== null;
    if (!isShort || datagram.length <= LEAST_SEGMENT_BYTES || opens(datagram.length)) return [datagram];
    if (this.#undivided > MOST_UNDIVIDED) return [datagram];
    const sizes = Array.from({length: MOST_SEGMENT_BYTES - LEAST_SEGMENT_BYTES}, (_, i) => LEAST_SEGMENT_BYTES + i);
    const size = [this.#segmentBytes[direction], ...sizes].find(each => each < datagram.length && opens(each));
    if (size === undefined) {
      this.#undivided += 1;
      return [datagram];
    }
    this.#segmentBytes[direction] = size;
    const segments: Uint8Array[] = [];
    for (let at = 0; at < datagram.length; at += size) segments.push(datagram.subarray(at, at + size));
    return segments;
  }

  open(datagram: Uint8Array, direction: Direction): readonly OpenedPacket[] {
    const packets: OpenedPacket[] = [];
    for (let at = 0; at < datagram.length && packets.length < MOST_COALESCED; ) {
      const header = readQuicHeader(datagram, at);
      if (header === undefined) break;
      // If the bytes after a packet do not begin another packet, they are padding. Some stacks add padding outside of
      // packets.
      if (at > 0 && ((datagram[at] ?? 0) & FIXED_BIT) === 0) break;
      const opened = this.#openPacket(datagram, at, header, direction);
      packets.push(opened);
      at = header.end;
    }
    return packets;
  }

  #openPacket(datagram: Uint8Array, at: number, header: QuicHeader, direction: Direction): OpenedPacket {
    if (header.type === '1-RTT') return this.#openShort(datagram, at, direction);
    // The source ID of an end is the destination ID of the packets to this end. An end chooses IDs of one size, because
    // short headers do not state the size of the ID.
    this.#idSizes[direction === 'up' ? 'down' : 'up'].add(header.source.length);
    if (header.type === 'Handshake') this.#idSizes[direction].add(header.destination.length);
    if (header.type === 'Version Negotiation' || header.type === 'Retry') return unopened(header.type);
    const packet = datagram.subarray(at, header.end);
    for (const keys of this.#keysOf(header, direction)) {
      const opened = this.#openWith(keys, packet, header.numberAt - at, {type: header.type, direction});
      if (opened !== undefined) return {type: header.type, number: opened.number, payload: opened.payload};
    }
    return unopened(header.type);
  }

  #keysOf(header: LongHeader, direction: Direction): readonly QuicKeys[] {
    const {type, version} = header;
    if (type === 'Initial') return this.#initialKeys(header, direction);
    const isEarly = type === '0-RTT';
    const key = `${type} ${direction} ${version}`;
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const name = direction === 'up' ? 'CLIENT' : 'SERVER';
    const label = isEarly ? `${name}_EARLY_TRAFFIC_SECRET` : `${name}_HANDSHAKE_TRAFFIC_SECRET`;
    const keys = this.#derived(label, version);
    this.#keys.set(key, keys);
    return keys;
  }

  #initialKeys({version, destination}: LongHeader, direction: Direction): readonly QuicKeys[] {
    const isKnown = this.#firstIds.some(id => id.join() === destination.join());
    if (direction === 'up' && !isKnown && this.#firstIds.length < MOST_FIRST_IDS) {
      // The keys are derived from the client's first destination ID, and again from the ID that a Retry brings (RFC
      // 9001 §5.2). Later Initial packets have the server's ID, but are protected with the same keys.
      this.#firstIds = [...this.#firstIds, destination];
    }
    return this.#firstIds.flatMap(id => {
      const name = `${version} ${direction} ${id.join()}`;
      if (!this.#initials.has(name)) this.#initials.set(name, initialKeys(this.#crypto, {version, id, direction}));
      return this.#initials.get(name) ?? [];
    });
  }

  /** Derives the keys of a secret, for each cipher suite that may be in use. */
  #derived(label: string, version: number): readonly QuicKeys[] {
    const {secrets, suite} = this.#session ?? {};
    const secret = secrets?.get(label) ?? secrets?.get(`QUIC_${label}`);
    if (secret === undefined) return [];
    return suitesFor(secret, suite).map(each => new QuicKeys(this.#crypto, each, {version, secret}));
  }

  #openShort(datagram: Uint8Array, at: number, direction: Direction): OpenedPacket {
    const state = this.#oneRtt[direction];
    state.keys ??= this.#derived(
      `${direction === 'up' ? 'CLIENT' : 'SERVER'}_TRAFFIC_SECRET_0`,
      this.#session?.version ?? VERSION_1,
    );
    if (state.keys.length === 0) return unopened('1-RTT');
    const packet = datagram.subarray(at);
    for (const size of this.#idSizes[direction]) {
      for (const keys of state.keys) {
        const opened = this.#openWith(keys, packet, 1 + size, {type: '1-RTT', direction, state});
        if (opened === undefined) continue;
        // Once a packet is opened, the cipher suite is certain.
        state.handleOpened(opened.keys, opened.phase);
        return {type: '1-RTT', number: opened.number, payload: opened.payload};
      }
    }
    return unopened('1-RTT');
  }

  #openWith(
    keys: QuicKeys,
    packet: Uint8Array,
    numberAt: number,
    {type, direction, state}: {readonly type: string; readonly direction: Direction; readonly state?: OneRtt},
  ): {number: number; payload: Uint8Array; keys: QuicKeys; phase: number} | undefined {
    const mask = keys.maskOf(packet, numberAt);
    if (mask === undefined) return undefined;
    const first = (packet[0] ?? 0) ^ ((mask[0] ?? 0) & ((packet[0] ?? 0) >= 0x80 ? 0x0f : 0x1f));
    const numberBytes = (first & 3) + 1;
    // The header is a copy, because the bytes of the file must stay as they are. `slice` does not copy if the file is
    // in one of Node's Buffers.
    const header = Uint8Array.from(packet.subarray(0, numberAt + numberBytes));
    header[0] = first;
    let truncated = 0;
    for (let i = 0; i < numberBytes; i++) {
      const byte = (packet[numberAt + i] ?? 0) ^ (mask[1 + i] ?? 0);
      header[numberAt + i] = byte;
      truncated = truncated * 256 + byte;
    }
    const space = `${direction} ${type === 'Initial' || type === 'Handshake' ? type : 'application'}`;
    const expected = this.#next.get(space) ?? 0;
    const number = wholeNumber(expected, truncated, numberBytes);
    const sealed = packet.subarray(numberAt + numberBytes);
    const phase = (first >> 2) & 1;
    for (const candidate of state?.candidates(keys, phase) ?? [keys]) {
      const payload = candidate.open(number, header, sealed);
      if (payload === undefined) continue;
      this.#next.set(space, Math.max(expected, number + 1));
      return {number, payload, keys: candidate, phase};
    }
    return undefined;
  }
}

/** The keys of 1-RTT packets in one direction, which can be updated (RFC 9001 §6). */
class OneRtt {
  /** The current keys. Until the first packet is opened, these are the keys of every possible cipher suite. */
  keys: readonly QuicKeys[] | undefined;
  #phase = 0;
  #previous: QuicKeys | undefined;

  /** Returns the keys that can open a packet of a phase. */
  candidates(current: QuicKeys, phase: number): readonly QuicKeys[] {
    if (phase === this.#phase) return [current];
    return this.#previous === undefined ? [current.next] : [current.next, this.#previous];
  }

  /** Notes that a packet of this phase was opened with these keys. */
  handleOpened(keys: QuicKeys, phase: number): void {
    if (phase === this.#phase) this.keys = [keys];
    else if (keys !== this.#previous) {
      this.#previous = this.keys?.find(each => each.next === keys);
      this.keys = [keys];
      this.#phase = phase;
    }
  }
}

function suitesFor(secret: Uint8Array, number: number | undefined): readonly CipherSuite[] {
  const fitting = [...CIPHER_SUITES].filter(([, {secretBytes}]) => secretBytes === secret.length);
  const chosen = fitting.filter(([each]) => each === number);
  // In a resumed session, 0-RTT can have another cipher suite with the same hash (RFC 8446 §4.2.11).
  return [...chosen, ...fitting.filter(([each]) => each !== number)].map(([, suite]) => suite);
}

function unopened(type: OpenedPacket['type']): OpenedPacket {
  return {type, number: null, payload: null};
}

/** The most packets in a datagram. A sender should need only one for each encryption level (RFC 9000 §12.2). */
const MOST_COALESCED = 16;
/**
 * The smallest and the largest size of segments that are tried. Every path of QUIC carries datagrams of 1200 bytes (RFC
 * 9000 §14). A packet on Ethernet has at most 1500 bytes.
 */
const LEAST_SEGMENT_BYTES = 1200;
const MOST_SEGMENT_BYTES = 1500;
/** To divide a datagram, hundreds of sizes are tried. After more failures than this, no more datagrams are divided. */
const MOST_UNDIVIDED = 100;
const MOST_FIRST_IDS = 4;
/** RFC 9000 §17.2. */
const FIXED_BIT = 0x40;
