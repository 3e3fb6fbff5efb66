import {connect, type Socket} from 'node:net';
import type {TransportEvent} from '../../app/http/transports.ts';
import {systemReason} from './systemReason.ts';

export interface TcpClientOptions {
  readonly endpoint: number;
  readonly host: string;
  readonly port: number;
  readonly onEvent: (event: TransportEvent) => void;
}

/** A client's end of one connection on the kernel's TCP. */
export class TcpClient {
  readonly #options: TcpClientOptions;
  #socket: Socket | undefined;
  #unread: Uint8Array[] = [];

  constructor(options: TcpClientOptions) {
    this.#options = options;
  }

  connect(): void {
    const {endpoint, host, port, onEvent} = this.#options;
    const socket = connect({host, port, noDelay: true});
    this.#socket = socket;
    let reason = 'peer-closed';
    socket.on('connect', () => onEvent({endpoint, type: 'connected', streams: 1}));
    socket.on('data', bytes => {
      this.#unread.push(bytes);
      onEvent({endpoint, type: 'readable', stream: 0});
    });
    socket.on('error', error => {
      reason = systemReason(error);
    });
    socket.on('close', () => onEvent({endpoint, type: 'closed', reason}));
  }

  /** Takes all. */
  write(bytes: Uint8Array): void {
    // the caller's memory is its own again
    this.#socket?.write(bytes.slice());
  }

  read(): Uint8Array {
    const bytes = Buffer.concat(this.#unread);
    this.#unread = [];
    return bytes;
  }

  close(): void {
    this.#socket?.removeAllListeners('close').destroy();
  }
}
