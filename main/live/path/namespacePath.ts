import {execFile} from 'node:child_process';
import {existsSync} from 'node:fs';
import {networkInterfaces} from 'node:os';
import {promisify} from 'node:util';
import {messageOf} from '../../../app/base/text.ts';
import type {PathSettings} from '../../../app/run/scenario/path.ts';
import {type RunningChange, type RunningPath, runningPathDocument} from '../../../app/run/scenario/runningPath.ts';
import type {Change} from '../../../app/run/scenario/scenario.ts';
import {type Direction, Tunnel} from '../../../native/addon/index.js';
import {startClock} from '../../net/clock.ts';
import {PORT_OFFSETS} from '../base/liveAddress.ts';
import {EmulatedPath} from './emulatedPath.ts';
import {NamespaceError, nameNamespace} from './namespaceName.ts';
import {PathControl} from './pathControl.ts';
import {countedPacket, markedPacket} from './relayedPacket.ts';
import {freeSubnet, insideAddress, numberOf, PREFIX_BITS, type Subnet} from './subnet.ts';
import {TimedChanges} from './timedChanges.ts';

export interface NamespacePathOptions {
  readonly settings: PathSettings;
  readonly seed: number;
  /** Changes of the path. Their times count from the first packet. */
  readonly changes?: readonly Change[];
  /** The namespace's name. {@link isNamespaceName} must be true for it. */
  readonly name: string;
  /** The first port of the live server. The server listens at the address {@link NamespacePath.outside}. */
  readonly port: number;
  /** The token that is required to read or change the path. Undefined if none is required. */
  readonly token: string | undefined;
  /** Called after a change of the path's settings. `inside` is the address of the namespace. */
  readonly onChange?: (now: RunningPath, inside: string) => void;
  /** Called with the reason if one of the `changes` cannot be made. */
  readonly onProblem?: (message: string) => void;
}

/**
 * The running path. `inside` is the present address of the namespace. `outside` is the address of this machine that
 * programs in the namespace connect to.
 */
export interface NamespacePath extends Subnet {
  state(): RunningPath;
  /**
   * Removes the namespace's name and both devices of the tunnel. Packets that have not yet left the path are lost. The
   * namespace itself ends when no process runs in it.
   */
  close(): Promise<void>;
}

/**
 * Creates a network namespace that is connected to this machine through the emulated path, in real time. All IPv4
 * packets pass through the path, including those of the kernel's TCP. This requires Linux and root. A port after the
 * server's ports serves HTTP to read and change the settings ({@link PathControl}).
 * @throws NamespaceError if the namespace cannot be created, and what Node throws if it cannot listen
 */
export async function startNamespacePath(options: NamespacePathOptions): Promise<NamespacePath> {
  const refusal = whyNot();
  if (refusal !== undefined) throw new NamespaceError(refusal);
  const subnet = freeSubnet(networkInterfaces());
  if (subnet === undefined) throw new NamespaceError('all tried subnets of 198.18.0.0/15 are in use on this machine');
  const carrier = new Carrier(options, subnet);
  const control = controlOf(options, carrier);
  let unname = (): void => undefined;
  const close = async (): Promise<void> => {
    unname();
    await control.close();
    carrier.close();
  };
  try {
    await control.listen(subnet.outside, options.port + PORT_OFFSETS.control);
    unname = nameNamespace(options.name, carrier.tunnel.namespacePath);
    // Programs expect a loopback interface, and the processes of a browser communicate over it. If `ip` is missing, `ip
    // netns` cannot run programs in the namespace either, so the error is ignored.
    await promisify(execFile)('ip', ['-n', options.name, 'link', 'set', 'lo', 'up']).catch(() => undefined);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    outside: subnet.outside,
    get inside() {
      return carrier.inside;
    },
    state: () => carrier.state,
    close,
  };
}

/**
 * Passes packets through the path. A packet that the kernel sends into one end of the tunnel leaves the tunnel at the
 * other end.
 */
class Carrier {
  readonly tunnel: Tunnel;
  readonly path: EmulatedPath;
  readonly #options: NamespacePathOptions;
  readonly #outside: string;
  readonly #timed: TimedChanges;
  /** The addresses that the namespace had before. */
  readonly #former = new Set<number>();
  #inside: string;
  /** A promise that settles when the latest change has been made or has failed. */
  #changed = Promise.resolve();
  #refused = 0;
  #isClosed = false;

  constructor(options: NamespacePathOptions, {inside, outside}: Subnet) {
    const {settings, seed, changes = [], onProblem = ignore} = options;
    this.#options = options;
    [this.#inside, this.#outside] = [inside, outside];
    this.path = new EmulatedPath(settings, seed, startClock(), () => this.#timed.start());
    const {path} = this;
    this.#timed = new TimedChanges({
      changes,
      settings: () => path.settings,
      apply: change => this.change(change),
      onProblem,
    });
    const tunnelOptions = JSON.stringify({inside, outside, mtuBytes: settings.mtuBytes});
    try {
      this.tunnel = new Tunnel(tunnelOptions, (direction, packet) => this.#take(direction, packet));
    } catch (error) {
      throw new NamespaceError(messageOf(error));
    }
  }

  get inside(): string {
    return this.#inside;
  }

  get state(): RunningPath {
    return {
      ...this.path.state,
      // Clients within the namespace cannot be distinguished, so they count as one.
      clients: 1,
      refused: this.#refused + (this.#isClosed ? 0 : this.tunnel.missed),
    };
  }

  /** Makes a change after all earlier changes. @throws Error if the namespace's address cannot be changed */
  change(asked: RunningChange): Promise<void> {
    const made = this.#changed.then(async () => {
      if (this.#isClosed) return;
      this.path.change(asked);
      if (asked.isHandover) await this.#move();
      this.#options.onChange?.(this.state, this.#inside);
    });
    this.#changed = made.catch(() => undefined);
    return made;
  }

  close(): void {
    this.#isClosed = true;
    this.#timed.close();
    this.path.close();
    this.tunnel.close();
  }

  /** Gives the namespace another address. Programs in the namespace notice this as a change of the network. */
  async #move(): Promise<void> {
    const {name} = this.#options;
    const [from, to] = [this.#inside, insideAddress(this.#outside, this.path.state.handOvers)];
    this.#former.add(numberOf(from));
    this.#former.delete(numberOf(to));
    this.#inside = to;
    const command = (verb: string, address: string): string =>
      `addr ${verb} ${address}/${PREFIX_BITS} dev ${INSIDE_DEVICE}\n`;
    const changing = promisify(execFile)('ip', ['-n', name, '-batch', '-']);
    changing.child.stdin?.on('error', () => undefined).end(command('del', from) + command('add', to));
    await changing;
  }

  #take(direction: Direction, bytes: Uint8Array): void {
    // Packets that were queued for this thread may still arrive after `close`.
    if (this.#isClosed) return;
    const packet = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (this.#former.has(insideOf(packet, direction))) {
      this.path.loseStray(direction);
      return;
    }
    const deliver = (isMarked: boolean): void => {
      if (!this.tunnel.send(direction, isMarked ? markedPacket(packet) : packet)) this.#refused++;
    };
    this.path.enter({direction, ...countedPacket(packet, this.#options.port), deliver});
  }
}

/**
 * Returns the address of the namespace in an IPv4 packet. This is the source of a packet that goes up, and the
 * destination of a packet that goes down. 0 if the packet is cut short.
 */
function insideOf(packet: Buffer, direction: Direction): number {
  const at = direction === 'up' ? SOURCE_AT : DESTINATION_AT;
  return packet.length < at + 4 ? 0 : packet.readUInt32BE(at);
}

function controlOf({token}: NamespacePathOptions, carrier: Carrier): PathControl {
  return new PathControl({
    token,
    settings: () => carrier.path.settings,
    describe: () => runningPathDocument(carrier.state),
    onChange: change => carrier.change(change),
  });
}

function whyNot(): string | undefined {
  if (process.platform !== 'linux') return `network namespaces require Linux, but this system is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'only root may create a network namespace: run the command with sudo';
  return existsSync('/dev/net/tun') ? undefined : 'there is no /dev/net/tun: load the kernel module tun (modprobe tun)';
}

function ignore(): void {}

/** The name of the first TUN device of a namespace. */
const INSIDE_DEVICE = 'interleave0';
// The offsets of the addresses in an IPv4 header (RFC 791 §3.1).
const [SOURCE_AT, DESTINATION_AT] = [12, 16];
