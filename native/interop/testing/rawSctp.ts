// A client of our SCTP for tests that send, withhold or change its packets one by one.
import {createSocket, type RemoteInfo, type Socket} from 'node:dgram';
import {Association} from '../../addon/index.js';
import {drawsOf} from './mutants.ts';

export class RawSctp {
  readonly association: Association;
  readonly socket: Socket;
  readonly #came: Buffer[] = [];
  #wake = (): void => undefined;

  private constructor(seed: number, socket: Socket) {
    const ports = {port: 40_000 + drawsOf(seed)(20_000), peerPort: 80, mtuBytes: 1492};
    this.association = new Association({sctp: {profile: 'modern', streams: 8}, ...ports, seed});
    this.socket = socket;
    socket.on('message', (packet: Buffer, _: RemoteInfo) => {
      this.#came.push(packet);
      this.#wake();
    });
  }

  static async open(port: number, seed: number): Promise<RawSctp> {
    const socket = createSocket('udp4');
    await new Promise<void>(resolve => socket.connect(port, '127.0.0.1', resolve));
    return new RawSctp(seed, socket);
  }

  /** The packets that the client wants to send at `nowNs`. */
  packets(nowNs: number): Uint8Array[] {
    return this.association.pollTransmit(nowNs);
  }

  send(packets: readonly Uint8Array[]): void {
    for (const packet of packets) this.socket.send(packet);
  }

  /** Waits for the next packet. */
  async next(): Promise<Buffer> {
    for (;;) {
      const packet = this.#came.shift();
      if (packet !== undefined) return packet;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }

  /** Runs the handshake up to the COOKIE ECHO. Returns the packet with the COOKIE ECHO, which is not sent. */
  async cookieEcho(): Promise<Uint8Array> {
    this.association.connect();
    this.send(this.packets(0));
    this.association.handlePacket(await this.next(), 1e6);
    const [echo = new Uint8Array()] = this.packets(1e6);
    return echo;
  }

  close(): void {
    this.socket.close();
    this.association.free();
  }
}
