import {Broken, ByteReader} from '../../run/packets/part.ts';
import {readQuicFrame} from '../../run/packets/quicFrames.ts';
import {SentStream} from '../../run/packets/sentStream.ts';
import type {CapturedConnection} from '../capturedLoad.ts';
import {knownFate} from '../knownFate.ts';
import type {UdpDatagram} from '../recordedPacket.ts';
import type {SentPiece} from './arrivals.ts';
import {type CapturedFrame, capturedFrame} from './capturedFrame.ts';
import type {SentData} from './http3Exchanges.ts';
import type {OpenedPacket} from './quicOpener.ts';
import type {QuicDatagram, QuicPacket} from './quicPackets.ts';

type Direction = UdpDatagram['direction'];

/** Removes the protection of packets. */
export interface Opener {
  /** Divides a recorded datagram into the datagrams that were on the wire. Usually there is only one. */
  segmentsOf(datagram: Uint8Array, direction: Direction): readonly Uint8Array[];
  open(datagram: Uint8Array, direction: Direction): readonly OpenedPacket[];
}

/** Everything that the datagrams of a connection contain, as far as an opener can open them. */
export class QuicContents {
  readonly datagrams: QuicDatagram[] = [];
  /** How many packets have packet numbers, and how many of these could not be opened. */
  numbered = 0;
  unopened = 0;
  readonly #sent = {down: new Sent(), up: new Sent()};
  readonly #opener: Opener;

  constructor(datagrams: readonly UdpDatagram[], opener: Opener) {
    this.#opener = opener;
    for (const datagram of datagrams) {
      for (const payload of opener.segmentsOf(datagram.payload, datagram.direction)) {
        const bytes = datagram.packet.bytes - datagram.payload.length + payload.length;
        this.datagrams.push(this.#read({...datagram, payload, packet: {...datagram.packet, bytes}}));
      }
    }
  }

  /** The bytes of the handshake that an end sent at one encryption level, up to the first gap. */
  handshakeOf(direction: Direction, type: 'Initial' | 'Handshake'): Uint8Array {
    return this.#sent[direction].handshake.get(type)?.whole ?? new Uint8Array(0);
  }

  /** What an end sent on its streams. `isLost` says whether a datagram is known to be lost. */
  sentBy(direction: Direction, isLost: (datagram: number) => boolean): SentData {
    const {streams, pieces} = this.#sent[direction];
    return {
      whole: new Map([...streams].map(([id, {whole}]) => [id, whole])),
      pieces: pieces.filter(({datagram}) => !isLost(datagram)),
      sentNs: new Map(pieces.toReversed().map(({stream, atNs}) => [stream, atNs])),
    };
  }

  /**
   * Returns when the client opened the connection, and when the handshake was complete. The handshake is complete when
   * the client sends its Finished message (RFC 9001 §4.1.1). If the capture does not show this message, the time of the
   * client's first 1-RTT packet is returned.
   */
  times(): Pick<CapturedConnection, 'openNs' | 'connectedNs'> {
    const openNs = this.datagrams.find(({direction}) => direction === 'up')?.atNs ?? null;
    return {openNs, connectedNs: this.#sent.up.finishedNs ?? this.#sent.up.firstOneRttNs};
  }

  #read({packet, direction, payload, ecn}: UdpDatagram): QuicDatagram {
    const [sent, index] = [this.#sent[direction], this.datagrams.length];
    const packets = this.#opener.open(payload, direction).map((opened): QuicPacket => {
      const {type, number} = opened;
      if (type !== 'Retry' && type !== 'Version Negotiation') {
        this.numbered += 1;
        if (opened.payload === null) this.unopened += 1;
      }
      // After Retry or Version Negotiation, the client begins again, and some clients then send another ClientHello.
      else this.#sent.up.handshake.clear();
      if (type === '1-RTT') sent.firstOneRttNs ??= packet.atNs;
      return {space: SPACES[type], number, frames: this.#framesOf(opened, {direction, atNs: packet.atNs, index})};
    });
    return {atNs: packet.atNs, direction, bytes: packet.bytes, ecn, known: knownFate(packet), packets};
  }

  /** Reads the frames of a packet, up to the first one that is invalid or unknown. */
  #framesOf(
    {type, payload}: OpenedPacket,
    {direction, atNs, index}: {readonly direction: Direction; readonly atNs: number; readonly index: number},
  ): readonly CapturedFrame[] {
    const frames: CapturedFrame[] = [];
    const sent = this.#sent[direction];
    const bytes = new ByteReader(payload ?? new Uint8Array(0));
    try {
      while (bytes.left > 0) {
        const fields = readQuicFrame(bytes, {
          stream: (id, offset, data) => addTo(sent.streams, id, offset, data),
          crypto: (offset, data) => {
            if (type === 'Handshake') sent.finishedNs ??= atNs;
            if (type === 'Initial' || type === 'Handshake') addTo(sent.handshake, type, offset, data);
          },
        });
        const frame = capturedFrame(fields);
        frames.push(frame);
        if (frame.kind === 'stream') sent.pieces.push({...frame, atNs, datagram: index});
      }
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
    }
    return frames;
  }
}

/** What one end sent. */
class Sent {
  readonly streams = new Map<number, SentStream>();
  readonly handshake = new Map<string, SentStream>();
  readonly pieces: (SentPiece & {readonly datagram: number})[] = [];
  /** When the end sent the first bytes of its last flight of the handshake. */
  finishedNs: number | null = null;
  firstOneRttNs: number | null = null;
}

function addTo<K>(streams: Map<K, SentStream>, key: K, offset: number, data: Uint8Array): void {
  const stream = streams.get(key) ?? new SentStream();
  streams.set(key, stream);
  stream.add(offset, data);
}

/** The packet number space of each type of packet (RFC 9000 §12.3). */
const SPACES: Readonly<Record<OpenedPacket['type'], QuicPacket['space']>> = {
  Initial: 'initial',
  Handshake: 'handshake',
  '0-RTT': 'application',
  '1-RTT': 'application',
  Retry: 'none',
  'Version Negotiation': 'none',
};
