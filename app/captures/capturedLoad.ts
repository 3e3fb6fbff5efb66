import type {PipelineName} from '../pipelines/index.ts';
import type {CaptureKind} from '../pipelines/setting.ts';
import type {SeenAt} from '../run/scenario/capturedPath.ts';
import type {PACKET_KIND} from '../run/trace/columns.ts';

export type {SeenAt};

/**
 * One page load as a capture shows it. All readers of captures make this, and `captureTrace` makes a trace of it. Times
 * are in ns since the first event of the load, such as its first packet or the start of its first request. What a
 * capture does not show is never estimated: it is null, empty or absent. Unknown sizes are 0. The comments of the
 * fields name other exceptions.
 */
export interface CapturedLoad {
  readonly kind: CaptureKind;
  readonly pipeline: PipelineName;
  readonly seenAt: SeenAt;
  readonly connections: readonly CapturedConnection[];
  /** The request of the page's HTML comes first, if the capture shows it. The others are in order of time. */
  readonly exchanges: readonly CapturedExchange[];
  /** Packets of all connections, in order of {@link CapturedPacket.atNs}. Empty if the file has none. */
  readonly packets: readonly CapturedPacket[];
  /** Changes of senders' states, in order of time, as qlog reports them. Empty if the file has none. */
  readonly samples: readonly CapturedSample[];
  readonly milestones?: CapturedMilestones;
  /** Sentences for users that say what the file lacked or what could not be read. */
  readonly notes: readonly string[];
}

export interface CapturedConnection {
  /** Such as `https://host` or `http://host:port`. Null if neither a request nor the TLS handshake shows the host. */
  readonly origin: string | null;
  /** Whether TLS protects the connection. */
  readonly hasTls: boolean;
  /** When the client sent its first packet. */
  readonly openNs: number | null;
  /** When the transport's handshake was complete at the client. For TCP, this is the arrival of SYN/ACK. */
  readonly connectedNs: number | null;
  /** When TLS over TCP allowed the client to send requests. Null without TLS over TCP. */
  readonly tlsNs: number | null;
  /**
   * The number of streams that the handshake of SCTP or QUIC agreed on. 1 for TCP and UDP. 0 or 1 if the capture does
   * not show the number.
   */
  readonly streams: number;
}

/** One request and its response. */
export interface CapturedExchange {
  /** Index in {@link CapturedLoad.connections}. Null if the capture does not show it. */
  readonly connection: number | null;
  /** The stream of HTTP/2, QUIC or SCTP. 0 if there are no such streams, or if the capture does not show the stream. */
  readonly stream: number;
  readonly method: string;
  /** The whole address. */
  readonly url: string;
  /** Fields of the request with lower-case names. Empty if the capture does not show them. */
  readonly requestFields: readonly CapturedField[];
  readonly responseFields: readonly CapturedField[];
  /** When the browser knew that it needs the object. Absent if the capture does not show it. */
  readonly discoveredNs?: number;
  /** When the first byte of the request was sent. */
  readonly requestNs: number;
  /** When the whole header of the response had arrived, not only its first byte (as `ObjectTrace.firstByteNs`). */
  readonly firstByteNs: number | null;
  readonly completeNs: number | null;
  /** Null if no header arrived. */
  readonly status: number | null;
  /**
   * Sizes of the request and of the response's header as they were sent, with HTTP's frames but without TLS. 0 if not
   * known.
   */
  readonly requestBytes: number;
  readonly headerBytes: number;
  /** Bytes of the response's body as they were sent, possibly compressed. */
  readonly bodyBytes: number;
  /** The body with its content coding removed. Null if the capture does not have it. */
  readonly body: Uint8Array | null;
  /** When parts of the body became readable at the client, in order of time. `bytes` is the total so far. */
  readonly deliveries: readonly {readonly atNs: number; readonly bytes: number}[];
  /** Why the request was made. Null if the capture does not say it. */
  readonly initiator: {readonly type: string; readonly url: string} | null;
  /** The browser's word for the priority, such as `High`. Null if the capture does not say it. */
  readonly priority: string | null;
}

export type CapturedField = readonly [name: string, value: string];

export interface CapturedPacket {
  readonly connection: number;
  readonly direction: 'down' | 'up';
  /** Size of the IP packet with its header. */
  readonly bytes: number;
  /** When the packet was recorded. */
  readonly atNs: number;
  /** What the capture shows: the packet arrived (`delivered`), or it was lost. Null if the capture shows neither. */
  readonly fate: 'delivered' | 'lost' | null;
  /** Why the packet was dropped; see `FATE`. Only captures and qlog files that this program wrote say it. */
  readonly dropped?: 'lost' | 'queueFull' | 'early' | 'policed' | 'handedOver';
  /** When the packet arrived, if a comment of this program's own captures says it. */
  readonly arrivedNs?: number;
  /** The ECN codepoint with which the packet was recorded, 0 to 3. See `ECN`. */
  readonly ecn: number;
  readonly kind: keyof typeof PACKET_KIND;
  /** See `PacketColumns.cumulativeAck`. NaN if the packet acknowledges nothing. */
  readonly cumulativeAck: number;
  /**
   * The end of the furthest data that this TCP packet reports as received after a gap (SACK, RFC 2018). Absent if the
   * packet reports no such data, or if the capture was made at both ends.
   */
  readonly sackedTo?: number;
  readonly chunks: readonly CapturedChunk[];
}

/** One range of data in a packet. See `ChunkColumns`. */
export interface CapturedChunk {
  readonly first: number;
  readonly bytes: number;
  readonly stream: number;
  readonly message: number;
  readonly retransmission: boolean;
  /**
   * The exchanges that the data belong to, and how many bytes each has. Bytes of handshakes and of TLS belong to none.
   */
  readonly pieces: readonly {readonly exchange: number; readonly bytes: number}[];
}

/** The state of a sender at one time, as a qlog reports it. See `SampleColumns`. */
export interface CapturedSample {
  readonly connection: number;
  readonly side: 'client' | 'server';
  readonly atNs: number;
  readonly cwndBytes: number;
  readonly ssthreshBytes: number;
  readonly flightBytes: number;
  readonly srttNs: number;
}

export interface CapturedMilestones {
  readonly fcpNs: number | null;
  readonly lcpNs: number | null;
  readonly dclNs: number | null;
  readonly loadNs: number | null;
}

export type ReadCapture =
  /** The page loads in the file, in the order in which they began. */
  | {readonly ok: true; readonly loads: readonly [CapturedLoad, ...CapturedLoad[]]}
  /** One sentence that says what is wrong with the file. */
  | {readonly ok: false; readonly message: string};

/**
 * Cryptography for TLS 1.3 and QUIC (RFC 8446, RFC 9001), and content codings. `app/` does not implement them; `main/`
 * provides those of Node. Keys, nonces and samples must have the sizes that the algorithm needs; a function may throw
 * otherwise.
 */
export interface CaptureCrypto {
  hkdfExpand(hash: 'sha256' | 'sha384', secret: Uint8Array, info: Uint8Array, bytes: number): Uint8Array;
  hkdfExtract(hash: 'sha256' | 'sha384', salt: Uint8Array, secret: Uint8Array): Uint8Array;
  /** Opens a record or packet. Returns undefined if it is not authentic. */
  open(
    aead: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305',
    key: Uint8Array,
    nonce: Uint8Array,
    sealed: Uint8Array,
    associated: Uint8Array,
  ): Uint8Array | undefined;
  /** The mask of QUIC's header protection, 5 bytes (RFC 9001 §5.4). */
  headerMask(
    aead: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305',
    key: Uint8Array,
    sample: Uint8Array,
  ): Uint8Array;
  /**
   * Removes a content coding (`gzip`, `br`, `zstd`, `deflate`). Undefined if the body is damaged, if the coding is
   * unknown, or if the result has more than `mostBytes` bytes.
   */
  decode(coding: string, body: Uint8Array, mostBytes: number): Uint8Array | undefined;
}
