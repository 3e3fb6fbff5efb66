import type {
  QuicEndOptions,
  SctpEndOptions,
  StagePath,
  TcpEndOptions,
  Transports,
} from '../http/transports.ts';
import type {Network} from './network.ts';

/** Told of each write how many bytes the transport took, of which object. */
type OnWritten = (endpoint: number, stream: number, bytes: number, object: number | null) => void;

/** A network that tells what is written on it, and for which object. */
export class LoggedNetwork implements Transports {
  readonly #network: Network;
  readonly #onWritten: OnWritten;

  constructor(network: Network, onWritten: OnWritten) {
    this.#network = network;
    this.#onWritten = onWritten;
  }

  write(endpoint: number, stream: number, bytes: Uint8Array, object: number | null): number {
    const taken = this.#network.write(endpoint, stream, bytes, object);
    if (taken > 0) this.#onWritten(endpoint, stream, taken, object);
    return taken;
  }

  send(endpoint: number, stream: number, bytes: Uint8Array, object: number | null): boolean {
    const isTaken = this.#network.send(endpoint, stream, bytes, object);
    if (isTaken) this.#onWritten(endpoint, stream, bytes.length, object);
    return isTaken;
  }

  addPath(path: StagePath): number {
    return this.#network.addPath(path);
  }

  openTcp(options: {client: TcpEndOptions; server: TcpEndOptions; path?: number}) {
    return this.#network.openTcp(options);
  }

  openSctp(options: {client: SctpEndOptions; server: SctpEndOptions}) {
    return this.#network.openSctp(options);
  }

  openQuic(options: {client: QuicEndOptions; server: QuicEndOptions}) {
    return this.#network.openQuic(options);
  }

  openUdp() {
    return this.#network.openUdp();
  }

  connect(endpoint: number): void {
    this.#network.connect(endpoint);
  }

  read(endpoint: number, stream: number): Uint8Array {
    return this.#network.read(endpoint, stream);
  }

  renew(endpoint: number, stream: number): void {
    this.#network.renew(endpoint, stream);
  }

  finish(endpoint: number, stream: number): void {
    this.#network.finish(endpoint, stream);
  }

  bufferedBytes(endpoint: number): number {
    return this.#network.bufferedBytes(endpoint);
  }

  cwndBytes(endpoint: number): number {
    return this.#network.cwndBytes(endpoint);
  }

  maxMessageInPacketBytes(endpoint: number): number {
    return this.#network.maxMessageInPacketBytes(endpoint);
  }
}
