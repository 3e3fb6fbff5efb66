import {bytesOf} from '../../base/bytes.ts';
import {joinedBytes} from '../../http/buffers.ts';
import type {CaptureCrypto} from '../capturedLoad.ts';
import type {RecordedPacket} from '../recordedPacket.ts';

/**
 * A segment between the client 10.0.0.1 and the server 10.0.0.2, or between fd00::1 and fd00::2 over IPv6. `at`, `ack`
 * and `sacks` are offsets in the streams instead of sequence numbers.
 */
export interface TestSegment {
  readonly atMs: number;
  readonly from: 'client' | 'server';
  readonly flags?: readonly ('SYN' | 'ACK' | 'FIN' | 'RST')[];
  /** Offset of the data. −1 for a SYN. */
  readonly at?: number;
  readonly ack?: number;
  readonly data?: string | Uint8Array;
  readonly sacks?: readonly (readonly [from: number, to: number])[];
  /** The timestamp of the sender, and the one that it echoes. */
  readonly stamps?: readonly [own: number, echo: number];
  readonly mss?: number;
  readonly identification?: number;
  readonly ecn?: number;
  /** Whether the packet is the first of several fragments. */
  readonly isFragment?: boolean;
  /** How many bytes of the packet the file has. All if absent. */
  readonly captured?: number;
}

/** The initial sequence numbers. The sequence numbers of the client wrap after 6 bytes of data. */
const INITIAL = {client: 2 ** 32 - 7, server: 1000};

/** Builds the packets of a TCP connection. */
export function tcpPackets(
  segments: readonly TestSegment[],
  {ports = [50_000, 80], version = 4}: {readonly ports?: readonly [number, number]; readonly version?: 4 | 6} = {},
): readonly RecordedPacket[] {
  return segments.map((segment, row) => {
    const isClients = segment.from === 'client';
    const segmentBytes = tcpBytes(segment, isClients ? ports : [ports[1], ports[0]]);
    const [from, to] = isClients ? [1, 2] : [2, 1];
    const whole = (version === 4 ? ipv4 : ipv6)(6, from, to, segmentBytes, segment);
    const data = whole.subarray(0, segment.captured ?? whole.length);
    return {row, atNs: segment.atMs * 1e6, bytes: whole.length, data, comment: '', interface: ''};
  });
}

function tcpBytes(
  {from, flags = ['ACK'], at = 0, ack = 0, data = '', sacks, stamps, mss}: TestSegment,
  ports: readonly [number, number],
) {
  const other = from === 'client' ? 'server' : 'client';
  const options = joinedBytes([
    ...(mss === undefined ? [] : [Uint8Array.of(2, 4, ...word(mss, 2))]),
    ...(stamps === undefined ? [] : [Uint8Array.of(1, 1, 8, 10), ...stamps.map(stamp => word(stamp, 4))]),
    ...(sacks === undefined
      ? []
      : [
          Uint8Array.of(1, 1, 5, 2 + 8 * sacks.length),
          ...sacks.flat().map(edge => word(INITIAL[other] + 1 + edge, 4)),
        ]),
  ]);
  const bits = flags.reduce((sum, flag) => sum + {FIN: 1, SYN: 2, RST: 4, ACK: 16}[flag], 0);
  const header = [
    ...ports.flatMap(port => [...word(port, 2)]),
    ...word(INITIAL[from] + 1 + at, 4),
    ...word(flags.includes('ACK') ? INITIAL[other] + 1 + ack : 0, 4),
    (20 + options.length) << 2,
    bits,
    ...word(0xffff, 2),
    ...word(0, 4),
  ];
  return joinedBytes([Uint8Array.from(header), options, typeof data === 'string' ? bytesOf(data) : data]);
}

function ipv4(
  protocol: number,
  from: number,
  to: number,
  payload: Uint8Array,
  {identification = 0, ecn = 0, isFragment = false}: Pick<TestSegment, 'identification' | 'ecn' | 'isFragment'>,
) {
  const header = [
    0x45,
    ecn,
    ...word(20 + payload.length, 2),
    ...word(identification, 2),
    isFragment ? 0x20 : 0x40,
    0,
    64,
    protocol,
    0,
    0,
  ];
  return joinedBytes([Uint8Array.from([...header, 10, 0, 0, from, 10, 0, 0, to]), payload]);
}

/** An IPv6 packet with a header of destination options. */
function ipv6(protocol: number, from: number, to: number, payload: Uint8Array, {ecn = 0}: Pick<TestSegment, 'ecn'>) {
  const address = (last: number): number[] => [0xfd, ...new Array(14).fill(0), last];
  const header = [0x60, ecn << 4, 0, 0, ...word(8 + payload.length, 2), 60, 64, ...address(from), ...address(to)];
  return joinedBytes([Uint8Array.from([...header, protocol, 0, 1, 4, 0, 0, 0, 0]), payload]);
}

function word(number: number, bytes: number): Uint8Array {
  return Uint8Array.from({length: bytes}, (_, i) => Math.floor(number / 256 ** (bytes - 1 - i)) % 256);
}

/** The handshake of a connection whose round trip takes 100 ms, recorded at the client. */
export const HANDSHAKE: readonly TestSegment[] = [
  {atMs: 0, from: 'client', flags: ['SYN'], at: -1, mss: 1460},
  {atMs: 100, from: 'server', flags: ['SYN', 'ACK'], at: -1, mss: 1460},
  {atMs: 100.1, from: 'client'},
];

/** Primitives for captures without TLS. They decode no content. */
export const NO_CRYPTO: CaptureCrypto = {
  hkdfExpand: () => new Uint8Array(0),
  hkdfExtract: () => new Uint8Array(0),
  open: () => undefined,
  headerMask: () => new Uint8Array(5),
  decode: () => undefined,
};
