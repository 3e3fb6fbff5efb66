import type {Exchange} from '../exchange.ts';
import type {Connection, TcpTransports, TransportEvent} from '../transports.ts';
import {TlsTransports} from './tlsTransports.ts';

/** An exchange over TLS 1.3 connections. It begins when a handshake is complete. */
export class OverTls implements Exchange {
  readonly #transports: TlsTransports;
  readonly #inner: Exchange;

  constructor(network: TcpTransports, open: (network: TcpTransports) => Exchange) {
    this.#transports = new TlsTransports(network);
    this.#inner = open(this.#transports);
  }

  get connections(): readonly Connection[] {
    return this.#inner.connections;
  }

  start(): void {
    this.#inner.start();
  }

  request(object: number, url: string): void {
    this.#inner.request(object, url);
  }

  handle(event: TransportEvent, nowNs: number): void {
    for (const told of this.#transports.handle(event)) this.#inner.handle(told, nowNs);
  }

  write(nowNs: number): boolean {
    this.#transports.flush();
    const isRefused = this.#inner.write(nowNs);
    return this.#transports.flush() || isRefused;
  }

  pollTimeoutNs(nowNs: number): number | undefined {
    return this.#inner.pollTimeoutNs(nowNs);
  }
}
