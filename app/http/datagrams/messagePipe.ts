import type {Connection, TransportEvent, Transports} from '../transports.ts';

/**
 * Both ends of a TCP connection that carries messages. Each message is preceded by its length in two bytes, big-endian.
 */
export class MessagePipe {
  readonly connection: Connection;
  readonly #network: Transports;
  readonly #ends = {client: newEnd(), server: newEnd()};
  #isGone = false;

  /** Opens a connection on this path. Path 0 is the network's own path. */
  constructor(network: Transports, path = 0) {
    this.#network = network;
    this.connection = network.openTcp({client: {profile: 'classic'}, server: {profile: 'classic'}, path});
  }

  /** Begins the handshake. */
  start(): void {
    this.#network.connect(this.connection.client);
  }

  has(endpoint: number): boolean {
    return endpoint === this.connection.client || endpoint === this.connection.server;
  }

  /**
   * Queues a message of up to 65,535 bytes. The message belongs to `object`, or to no object if it is null. It is
   * dropped if the connection has been closed.
   */
  send(side: Side, message: Uint8Array, object: number | null): void {
    if (this.#isGone) return;
    const bytes = new Uint8Array(LENGTH_BYTES + message.length);
    new DataView(bytes.buffer).setUint16(0, message.length);
    bytes.set(message, LENGTH_BYTES);
    this.#ends[side].unsent.push({bytes, object});
  }

  /** Writes the queued messages. Returns true if TCP did not accept all of them. */
  write(): boolean {
    return [this.#writeFrom('client'), this.#writeFrom('server')].includes(true);
  }

  /** Handles an event of one of the endpoints. Returns the messages that the event completes. */
  read(event: TransportEvent): readonly Uint8Array[] {
    if (event.type === 'closed' || event.type === 'peer-closed') {
      this.#isGone = true;
      for (const end of Object.values(this.#ends)) end.unsent.length = 0;
    }
    if (event.type !== 'readable') return [];
    const end = event.endpoint === this.connection.client ? this.#ends.client : this.#ends.server;
    const next = this.#network.read(event.endpoint, event.stream);
    const bytes = new Uint8Array(end.unread.length + next.length);
    bytes.set(end.unread);
    bytes.set(next, end.unread.length);
    const messages: Uint8Array[] = [];
    let at = 0;
    for (let to = endOf(bytes, at); to <= bytes.length; to = endOf(bytes, at)) {
      messages.push(bytes.subarray(at + LENGTH_BYTES, to));
      at = to;
    }
    end.unread = bytes.subarray(at);
    return messages;
  }

  #writeFrom(side: Side): boolean {
    const {unsent} = this.#ends[side];
    for (let next = unsent[0]; next !== undefined; next = unsent[0]) {
      const taken = this.#network.write(this.connection[side], 0, [next]);
      if (taken === 0) return true;
      if (taken === next.bytes.length) unsent.shift();
      else next.bytes = next.bytes.subarray(taken);
    }
    return false;
  }
}

type Side = 'client' | 'server';

/**
 * Returns the end of the message that begins at `at`. The result is larger than the number of bytes if the message is
 * incomplete.
 */
function endOf(bytes: Uint8Array, at: number): number {
  const [high, low] = [bytes[at], bytes[at + 1]];
  return high === undefined || low === undefined ? Number.POSITIVE_INFINITY : at + LENGTH_BYTES + high * 256 + low;
}

interface End {
  readonly unsent: {bytes: Uint8Array; readonly object: number | null}[];
  unread: Uint8Array;
}

function newEnd(): End {
  return {unsent: [], unread: new Uint8Array(0)};
}

const LENGTH_BYTES = 2;
