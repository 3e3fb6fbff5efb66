import {connect, type Socket} from 'node:net';
import type {TransportEvent} from '../../../app/http/transports.ts';
import {reasonAt} from '../base/socketFailure.ts';
import type {KernelSamples} from './kernelSamples.ts';

export interface TcpClientOptions {
  readonly endpoint: number;
  readonly host: string;
  readonly port: number;
  readonly onEvent: (event: TransportEvent) => void;
  /** Receives a sample after the handshake, whenever bytes arrive, and every {@link SAMPLE_MS}. */
  readonly samples: KernelSamples;
}

/** The client's end of one connection over the kernel's TCP. */
export class TcpClient {
  readonly #options: TcpClientOptions;
  #socket: Socket | undefined;
  #unread: Uint8Array[] = [];
  #sampling: NodeJS.Timeout | undefined;

  constructor(options: TcpClientOptions) {
    this.#options = options;
  }

  connect(): void {
    const {endpoint, host, port, onEvent, samples} = this.#options;
    const socket = connect({host, port, noDelay: true});
    this.#socket = socket;
    let reason = 'peer-closed';
    const sample = (): void => samples.take(endpoint, socket);
    this.#sampling = setInterval(sample, SAMPLE_MS);
    socket.on('connect', () => {
      sample();
      onEvent({endpoint, type: 'connected', streams: 1});
    });
    socket.on('data', bytes => {
      sample();
      this.#unread.push(bytes);
      onEvent({endpoint, type: 'readable', stream: 0});
    });
    socket.on('error', error => {
      reason = reasonAt({host, port}, error);
    });
    socket.on('close', () => {
      clearInterval(this.#sampling);
      onEvent({endpoint, type: 'closed', reason});
    });
  }

  /** Writes bytes. Returns their number, because all are always accepted. */
  write(bytes: Uint8Array): number {
    // The bytes are copied, because the caller reuses their memory.
    this.#socket?.write(bytes.slice());
    return bytes.length;
  }

  read(): Uint8Array {
    const bytes = Buffer.concat(this.#unread);
    this.#unread = [];
    return bytes;
  }

  close(): void {
    clearInterval(this.#sampling);
    this.#socket?.removeAllListeners('close').destroy();
  }
}

/** Time between samples, in ms. It is a tenth of Linux's shortest RTO, so that every timeout appears in a sample. */
const SAMPLE_MS = 20;
