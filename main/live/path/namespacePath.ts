import {execFile} from 'node:child_process';
import {existsSync} from 'node:fs';
import {networkInterfaces} from 'node:os';
import {promisify} from 'node:util';
import {messageOf} from '../../../app/base/text.ts';
import type {PathSettings} from '../../../app/run/scenario/path.ts';
import {type RunningPath, runningPathDocument} from '../../../app/run/scenario/runningPath.ts';
import {type Direction, Tunnel} from '../../../native/addon/index.js';
import {startClock} from '../../net/clock.ts';
import {PORT_OFFSETS} from '../base/liveAddress.ts';
import {EmulatedPath} from './emulatedPath.ts';
import {NamespaceError, nameNamespace} from './namespaceName.ts';
import {PathControl} from './pathControl.ts';
import {countedPacket, markedPacket} from './relayedPacket.ts';
import {freeSubnet, type Subnet} from './subnet.ts';

export interface NamespacePathOptions {
  readonly settings: PathSettings;
  readonly seed: number;
  /** The namespace's name. {@link isNamespaceName} must be true for it. */
  readonly name: string;
  /** The first port of the live server. The server listens at the address {@link NamespacePath.outside}. */
  readonly port: number;
  /** The token that is required to read or change the path. Undefined if none is required. */
  readonly token: string | undefined;
  /** Called after a change of the path's settings. */
  readonly onChange?: (now: RunningPath) => void;
}

/**
 * The running path. `inside` is the address of the namespace. `outside` is the address of this machine that programs in
 * the namespace connect to.
 */
export interface NamespacePath extends Subnet {
  state(): RunningPath;
  /** Removes the namespace. Packets that have not yet left the path are lost. */
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
  return {...subnet, state: () => carrier.state, close};
}

/**
 * Passes packets through the path. A packet that the kernel sends into one end of the tunnel leaves the tunnel at the
 * other end.
 */
class Carrier {
  readonly tunnel: Tunnel;
  readonly path: EmulatedPath;
  readonly #port: number;
  #refused = 0;
  #isClosed = false;

  constructor({settings, seed, port}: NamespacePathOptions, {inside, outside}: Subnet) {
    this.#port = port;
    this.path = new EmulatedPath(settings, seed, startClock());
    const options = JSON.stringify({inside, outside, mtuBytes: settings.mtuBytes});
    try {
      this.tunnel = new Tunnel(options, (direction, packet) => this.#take(direction, packet));
    } catch (error) {
      throw new NamespaceError(messageOf(error));
    }
  }

  get state(): RunningPath {
    return {
      path: this.path.settings,
      seed: this.path.seed,
      counts: this.path.counts,
      // Clients within the namespace cannot be distinguished, so they count as one.
      clients: 1,
      refused: this.#refused + (this.#isClosed ? 0 : this.tunnel.missed),
    };
  }

  close(): void {
    this.#isClosed = true;
    this.path.close();
    this.tunnel.close();
  }

  #take(direction: Direction, packet: Uint8Array): void {
    // Packets that were queued for this thread may still arrive after `close`.
    if (this.#isClosed) return;
    const counted = countedPacket(Buffer.from(packet.buffer, packet.byteOffset, packet.length), this.#port);
    const deliver = (isMarked: boolean): void => {
      if (!this.tunnel.send(direction, isMarked ? markedPacket(packet) : packet)) this.#refused++;
    };
    this.path.enter({direction, ...counted, deliver});
  }
}

function controlOf({token, onChange}: NamespacePathOptions, carrier: Carrier): PathControl {
  const {path} = carrier;
  return new PathControl({
    token,
    settings: () => path.settings,
    describe: () => runningPathDocument(carrier.state),
    onChange: (changed, seed) => {
      path.change(changed);
      if (seed !== undefined) path.restartLoss(seed);
      onChange?.(carrier.state);
    },
  });
}

function whyNot(): string | undefined {
  if (process.platform !== 'linux') return `network namespaces require Linux, but this system is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'only root may create a network namespace: run the command with sudo';
  return existsSync('/dev/net/tun') ? undefined : 'there is no /dev/net/tun: load the kernel module tun (modprobe tun)';
}
