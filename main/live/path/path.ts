import type {PathSettings} from '../../../app/run/scenario/path.ts';
import {type RunningPath, runningPathDocument} from '../../../app/run/scenario/runningPath.ts';
import {startClock} from '../../net/clock.ts';
import {type Placed, Places} from '../../net/places.ts';
import {PORT_OFFSETS} from '../../net/ports.ts';
import {EmulatedPath} from './emulatedPath.ts';
import {PathControl} from './pathControl.ts';
import {Relay, type RelayOptions} from './relay.ts';
import {RELAYED, type Relayed} from './relayed.ts';

export interface LivePathOptions {
  readonly settings: PathSettings;
  readonly seed: number;
  /** An address of this machine. */
  readonly host: string;
  /** The first of those that it has; 0: so many that are free. */
  readonly port: number;
  /** Of the server: an IP address, and its first port. */
  readonly to: {readonly host: string; readonly port: number};
  /** What whoever changes it has to bring; undefined: nothing. */
  readonly token: string | undefined;
  /** Somebody sends who has not sent lately. */
  readonly onClient?: (client: string, carries: Relayed['name']) => void;
  /** It has been changed from outside. */
  readonly onChange?: (now: RunningPath) => void;
  readonly mostClients?: number;
  /**
   * Draws begin anew from the seed with a client that comes when no packet has for a second: so each load of several
   * that follow one another meets the same losses, as panes of a computed run do. False by default.
   */
  readonly isSameLosses?: boolean;
}

export interface LivePath {
  readonly port: number;
  state(): RunningPath;
  /** Ends it: what is on its way does not arrive. */
  close(): Promise<void>;
}

/**
 * The emulated path in real time, between whoever sends to its ports of UDP and a server's; all of them share its
 * bottleneck. On the last of its ports it is asked and changed by HTTP ({@link PathControl}).
 * @throws what Node does where it cannot listen
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
  readonly state: () => RunningPath;
}

function partsOf(options: LivePathOptions): Parts {
  const {settings, seed, to, token, host, mostClients = MOST_CLIENTS, isSameLosses = false} = options;
  const {onClient, onChange} = options;
  const clock = startClock();
  const path = new EmulatedPath(settings, seed, clock);
  const clients = new Places<Placed>(mostClients);
  let refused = 0;
  const state = (): RunningPath => ({
    path: path.settings,
    seed: path.seed,
    counts: path.counts,
    clients: clients.size,
    refused,
  });
  const relays = RELAYED.map(relayed => {
    const relay: RelayOptions = {
      relayed,
      path,
      clock,
      clients,
      to: {host: to.host, port: to.port + relayed.portOffset},
      onRefused: () => {
        refused++;
      },
      onClient: client => {
        if (isSameLosses && path.silentNs > SILENCE_NS) path.restartLoss(path.seed);
        onClient?.(client, relayed.name);
      },
    };
    return [new Relay(relay, host), relayed] as const;
  });
  const control = new PathControl({
    token,
    settings: () => path.settings,
    told: () => runningPathDocument(state()),
    onChange: (changed, seedAsked) => {
      path.change(changed);
      if (seedAsked !== undefined) path.restartLoss(seedAsked);
      onChange?.(state());
    },
  });
  return {path, relays, control, state};
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

async function closeAll({path, relays, control}: Parts): Promise<void> {
  path.close();
  await Promise.all([control.close(), ...relays.map(([relay]) => relay.close())]);
}

const MOST_TRIES = 20;
/** Between loads; inside of one, a client that comes late comes with the first answer. */
const SILENCE_NS = 1e9;
const SWEEP_MS = 5000;
/** As many as a server has peers; each has a socket. */
const MOST_CLIENTS = 1000;
export const MOST_FIRST_PORT = 65_535 - PORT_OFFSETS.control;
