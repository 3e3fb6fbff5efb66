/** Types for the parts of node-sctp 1.0.0 that are used here. The package itself contains no types. */
declare module 'sctp' {
  import type {Socket as UdpSocket} from 'node:dgram';
  import type {Duplex, Readable, Writable} from 'node:stream';

  export interface SctpSocket extends Duplex {
    /**
     * The number of outbound streams. After the handshake it is the smaller of this end's request and the peer's offer.
     */
    readonly OS: number;
    createStream(stream: number): Writable;
    on(event: 'connect' | 'end', listener: () => void): this;
    on(event: 'stream', listener: (stream: Readable, id: number) => void): this;
    on(event: 'error', listener: (error?: Error) => void): this;
  }

  interface ConnectOptions {
    /** Whether this end waits for the peer's INIT. */
    passive: boolean;
    localPort: number;
    port: number;
    /** The number of outbound streams to request. */
    OS: number;
    /** The number of inbound streams to offer. */
    MIS: number;
    udpTransport: UdpSocket;
  }

  const sctp: {
    connect(options: ConnectOptions): SctpSocket;
    /** Sets defaults for all associations. Times are in ms. */
    defaults(options: {rto_initial?: number; rto_min?: number}): void;
  };
  export default sctp;
}
