import {randomInt} from 'node:crypto';
import {createSocket, type Socket} from 'node:dgram';
import {isIPv6} from 'node:net';
import type {SctpEndOptions} from '../../app/http/transports.ts';
import {type AppEvent, Association, type LiveRecording} from '../../native/addon/index.js';
import type {Clock} from './clock.ts';
import {encapsulatedMtuBytes, SCTP_HTTP_PORT} from './encapsulation.ts';

export interface SctpClientOptions {
  readonly sctp: SctpEndOptions;
  /** An IP address, and UDP's port. */
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  /** Grows as long as it lives. */
  readonly record: LiveRecording;
  /** What the association tells; in it {@link SctpClient.go} may not be called. */
  readonly onEvents: (events: readonly AppEvent[]) => void;
  /** The system says that nobody is there, or that the socket is of no use. */
  readonly onError: (error: Error) => void;
}

/** A client's end of one association in UDP (RFC 6951). After calls of the association, call {@link SctpClient.go}. */
export class SctpClient {
  readonly association: Association;
  readonly #options: SctpClientOptions;
  readonly #socket: Socket;
  #timer: NodeJS.Timeout | undefined;
  /** Of the socket: what is sent has a place to go. */
  #isOpen = false;
  #isClosed = false;

  constructor(options: SctpClientOptions) {
    this.#options = options;
    const {host, sctp, record} = options;
    const family = isIPv6(host) ? 'IPv6' : 'IPv4';
    const own = {
      ...{port: randomInt(FIRST_PORT, LAST_PORT), peerPort: SCTP_HTTP_PORT},
      ...{seed: randomInt(2 ** 48 - 1), record},
    };
    this.association = new Association(
      JSON.stringify({sctp, mtuBytes: encapsulatedMtuBytes(family), ...own}),
    );
    this.#socket = createSocket(family === 'IPv6' ? 'udp6' : 'udp4');
    this.#socket.on('message', packet => {
      this.association.handlePacket(packet, options.clock());
      this.go();
    });
    this.#socket.on('error', options.onError);
  }

  /** Begins the handshake. */
  connect(): void {
    this.association.connect();
    const {host, port} = this.#options;
    this.#socket.connect(port, host, () => {
      this.#isOpen = true;
      this.go();
    });
  }

  /** Does what is to be done now, and again when a timer has run off. */
  go(): void {
    if (this.#isClosed || !this.#isOpen) return;
    const {clock, onEvents, onError} = this.#options;
    for (let isLeft = true; isLeft && !this.#isClosed; ) {
      const packets = this.association.pollTransmit(clock());
      for (const packet of packets) this.#socket.send(packet, error => error && onError(error));
      const events = this.association.pollEvents();
      if (events.length > 0) onEvents(events);
      isLeft = packets.length + events.length > 0;
    }
    this.#schedule();
  }

  /** Tells the peer, and ends. What was recorded stays. */
  close(): void {
    if (this.#isClosed) return;
    this.association.abort();
    const last = this.association.pollTransmit(this.#options.clock());
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#socket.removeAllListeners('message');
    const end = (): void => void this.#socket.close();
    const [abort] = last;
    if (abort === undefined) end();
    else this.#socket.send(abort, end);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const {clock} = this.#options;
    const {nextTimeoutNs} = this.association;
    if (nextTimeoutNs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.max(0, Math.ceil((nextTimeoutNs - clock()) / 1e6));
    this.#timer = setTimeout(() => {
      this.association.handleTimeout(clock());
      this.go();
    }, waitMs);
  }
}

/** The dynamic ports (RFC 6335 §6), of SCTP in UDP: nobody else has them. */
const [FIRST_PORT, LAST_PORT] = [49_152, 65_536];
