import {execFile} from 'node:child_process';
import {existsSync} from 'node:fs';
import {networkInterfaces} from 'node:os';
import {promisify} from 'node:util';
import {messageOf} from '../../../app/base/text.ts';
import type {PathSettings} from '../../../app/run/scenario/path.ts';
import {type RunningPath, runningPathDocument} from '../../../app/run/scenario/runningPath.ts';
import {type Direction, Tunnel} from '../../../native/addon/index.js';
import {startClock} from '../../net/clock.ts';
import {PORT_OFFSETS} from '../../net/ports.ts';
import {EmulatedPath} from './emulatedPath.ts';
import {countedPacket} from './ipv4Packet.ts';
import {NamespaceError, nameNamespace} from './namespaceName.ts';
import {PathControl} from './pathControl.ts';
import {freeSubnet, type Subnet} from './subnet.ts';

export interface NamespacePathOptions {
  readonly settings: PathSettings;
  readonly seed: number;
  /** Of the namespace, as {@link isNamespaceName} has it. */
  readonly name: string;
  /** The first port of the server that is to listen at {@link NamespacePath.outside}. */
  readonly port: number;
  /** What whoever changes the path has to bring; undefined: nothing. */
  readonly token: string | undefined;
  /** It has been changed from outside. */
  readonly onChange?: (now: RunningPath) => void;
}

/** Addresses are those of the namespace, and of this machine as the namespace reaches it. */
export interface NamespacePath extends Subnet {
  state(): RunningPath;
  /** Ends it: what is on its way does not arrive, and the namespace goes. */
  close(): Promise<void>;
}

/**
 * A network namespace from which this machine is reached through the emulated path, in real time, by all that is IPv4:
 * the kernel's TCP too. Linux, as root. At the port behind the server's it is asked and changed ({@link PathControl}).
 * @throws NamespaceError; what Node does where it cannot listen
 */
export async function startNamespacePath(options: NamespacePathOptions): Promise<NamespacePath> {
  const refusal = whyNot();
  if (refusal !== undefined) throw new NamespaceError(refusal);
  const subnet = freeSubnet(networkInterfaces());
  if (subnet === undefined) throw new NamespaceError('no addresses of 198.18.0.0/15 are free');
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
    // programs expect it, a browser's parts speak over it; whoever has no ip has no ip-netns either
    await promisify(execFile)('ip', ['-n', options.name, 'link', 'set', 'lo', 'up']).catch(() => undefined);
  } catch (error) {
    await close();
    throw error;
  }
  return {...subnet, state: () => carrier.state, close};
}

/** Carries what the kernel sends into either end of a tunnel to the other, through the path. */
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
      // who speaks in the namespace is not looked at
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
    // what waited for this thread comes after the end
    if (this.#isClosed) return;
    const counted = countedPacket(Buffer.from(packet.buffer, packet.byteOffset, packet.length), this.#port);
    const deliver = (): void => {
      if (!this.tunnel.send(direction, packet)) this.#refused++;
    };
    this.path.enter({direction, ...counted, deliver});
  }
}

function controlOf({token, onChange}: NamespacePathOptions, carrier: Carrier): PathControl {
  const {path} = carrier;
  return new PathControl({
    token,
    settings: () => path.settings,
    told: () => runningPathDocument(carrier.state),
    onChange: (changed, seed) => {
      path.change(changed);
      if (seed !== undefined) path.restartLoss(seed);
      onChange?.(carrier.state);
    },
  });
}

function whyNot(): string | undefined {
  if (process.platform !== 'linux') return `network namespaces are Linux’s: this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'a network namespace is made by root alone: this is another user';
  return existsSync('/dev/net/tun') ? undefined : 'there is no /dev/net/tun: the module tun has it';
}
