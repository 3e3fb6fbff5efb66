import type {PathSettings} from '../../../app/run/scenario/path.ts';
import {type RunningChange, type RunningPath, runningPathDocument} from '../../../app/run/scenario/runningPath.ts';
import type {Change} from '../../../app/run/scenario/scenario.ts';
import {type Placed, Places} from '../../net/clientPlaces.ts';
import {startClock} from '../../net/clock.ts';
import {PORT_OFFSETS} from '../base/liveAddress.ts';
import {EmulatedPath} from './emulatedPath.ts';
import {PathControl} from './pathControl.ts';
import {Relay, type RelayOptions} from './relay.ts';
import {RELAYED, type Relayed} from './relayedPacket.ts';
import {TimedChanges} from './timedChanges.ts';

export interface LivePathOptions {
  readonly settings: PathSettings;
  readonly seed: number;
  /** Changes of the path. Their times count from the first packet. */
  readonly changes?: readonly Change[];
  /** The address of this machine to listen on. */
  readonly host: string;
  /** The first of the path's ports. 0 chooses free ports. */
  readonly port: number;
  /** The server's IP address and first port. */
  readonly to: {readonly host: string; readonly port: number};
  /** The token that is required to read or change the path. Undefined if none is required. */
  readonly token: string | undefined;
  /** Called when a client sends its first datagram, or the first datagram after a long silence. */
  readonly onClient?: (client: string, carries: Relayed['name']) => void;
  /** Called after a change of the path's settings. */
  readonly onChange?: (now: RunningPath) => void;
  /** Called with the reason if one of the `changes` cannot be made. */
  readonly onProblem?: (message: string) => void;
  readonly mostClients?: number;
  /**
   * Whether several loads in sequence have the same losses, as the panes of a simulated run have. If true, the random
   * draws restart with the seed when a new client sends after a second without packets. False by default.
   */
  readonly isSameLosses?: boolean;
}

export interface LivePath {
  readonly port: number;
  state(): RunningPath;
  /** Ends the path. Packets that have not yet left it are lost. */
  close(): Promise<void>;
}

/**
 * Starts an emulated path in real time. Clients send to the path's UDP ports instead of the server's. All clients share
 * one bottleneck. The path's last port serves HTTP to read and change the settings ({@link PathControl}).
 * @throws what Node throws if it cannot listen
 */
export async function startPath(options: LivePathOptions): Promise<LivePath> {
  const tries = options.port === 0 ? MOST_TRIES : 1;
  for (let left = tries; ; left--) {
    const parts = partsOf(options);
    try {
      return await listening(parts, options);
    } catch (error) {
      await closeAll(parts);
      if (left <= 1) throw error;
    }
  }
}

interface Parts {
  readonly path: EmulatedPath;
  readonly relays: readonly (readonly [Relay, Relayed])[];
  readonly control: PathControl;
  readonly timed: TimedChanges;
  readonly state: () => RunningPath;
}

function partsOf(options: LivePathOptions): Parts {
  const {settings, seed, changes = [], token, onChange, onProblem = ignore, mostClients = MOST_CLIENTS} = options;
  const clients = new Places<Placed>(mostClients);
  const path: EmulatedPath = new EmulatedPath(settings, seed, startClock(), () => timed.start());
  let refused = 0;
  const state = (): RunningPath => ({...path.state, clients: clients.size, refused});
  const onRefused = (): void => {
    refused++;
  };
  const relays = relaysOf(options, {path, clients, onRefused});
  const change = (asked: RunningChange): void => {
    path.change(asked);
    if (asked.isHandover) for (const [relay] of relays) relay.handOver();
    onChange?.(state());
  };
  const timed = new TimedChanges({changes, settings: () => path.settings, apply: change, onProblem});
  const control = new PathControl({
    token,
    settings: () => path.settings,
    describe: () => runningPathDocument(state()),
    onChange: change,
  });
  return {path, relays, control, timed, state};
}

/** The relays of all protocols. They share the path and the limit on the number of clients ({@link Places}). */
function relaysOf(
  {to, host, isSameLosses = false, onClient}: LivePathOptions,
  {path, ...shared}: Pick<RelayOptions, 'path' | 'clients' | 'onRefused'>,
): Parts['relays'] {
  const clock = startClock();
  return RELAYED.map(relayed => {
    const relay: RelayOptions = {
      ...shared,
      relayed,
      path,
      clock,
      to: {host: to.host, port: to.port + relayed.portOffset},
      onClient: client => {
        if (isSameLosses && path.silentNs > SILENCE_NS) path.restartLoss(path.seed);
        onClient?.(client, relayed.name);
      },
    };
    return [new Relay(relay, host), relayed] as const;
  });
}

async function listening(parts: Parts, {host, port: asked}: LivePathOptions): Promise<LivePath> {
  const {relays, control} = parts;
  let port = asked;
  for (const [relay, {portOffset}] of relays) {
    const got = await relay.listen(port === 0 ? 0 : port + portOffset);
    if (port === 0) port = got;
    if (port > MOST_FIRST_PORT) throw new RangeError(`port is ${port}: must be at most ${MOST_FIRST_PORT}`);
  }
  await control.listen(host, port + PORT_OFFSETS.control);
  const sweeping = setInterval(() => {
    for (const [relay] of relays) relay.sweep();
  }, SWEEP_MS);
  let closing: Promise<void> | undefined;
  return {
    port,
    state: parts.state,
    close: () => {
      clearInterval(sweeping);
      closing ??= closeAll(parts);
      return closing;
    },
  };
}

async function closeAll({path, relays, control, timed}: Parts): Promise<void> {
  timed.close();
  path.close();
  await Promise.all([control.close(), ...relays.map(([relay]) => relay.close())]);
}

function ignore(): void {}

const MOST_TRIES = 20;
/**
 * If no packet has entered for this time, a new client counts as the beginning of a new load. Further clients of a load
 * that is already running come sooner, because a load opens its connections soon after its first answer.
 */
const SILENCE_NS = 1e9;
const SWEEP_MS = 5000;
/**
 * Largest number of clients of a path. Each client has its own socket. A live server has the same limit for each
 * transport.
 */
const MOST_CLIENTS = 1000;
export const MOST_FIRST_PORT = 65_535 - PORT_OFFSETS.control;
