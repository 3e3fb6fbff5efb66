/** What is used here of node-sctp 1.0.0, which comes without types. */
declare module 'sctp' {
  import type {Socket as UdpSocket} from 'node:dgram';
  import type {Duplex, Readable, Writable} from 'node:stream';

  export interface SctpSocket extends Duplex {
    /** min(own outbound, peer's inbound streams), once connected. */
    readonly OS: number;
    createStream(stream: number): Writable;
    on(event: 'connect' | 'end', listener: () => void): this;
    on(event: 'stream', listener: (stream: Readable, id: number) => void): this;
    on(event: 'error', listener: (error?: Error) => void): this;
  }

  interface ConnectOptions {
    /** Waits for the peer's INIT. */
    passive: boolean;
    localPort: number;
    port: number;
    /** Requested outbound and offered inbound streams. */
    OS: number;
    MIS: number;
    udpTransport: UdpSocket;
  }

  const sctp: {
    connect(options: ConnectOptions): SctpSocket;
    /** Times in ms. */
    defaults(options: {rto_initial?: number; rto_min?: number}): void;
  };
  export default sctp;
}
