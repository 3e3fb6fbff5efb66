import {DEFAULT_PATH} from '../../app/run/scenario/path.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {SCTP_UDP_PORT} from '../live/base/sctpInUdp.ts';
import {MOST_FIRST_PORT} from '../live/path/livePath.ts';
import {isNamespaceName} from '../live/path/namespaceName.ts';
import type {ScenarioChoice} from './command.ts';
import {listenAt} from './gatewayOptions.ts';
import {isLoopback} from './gatewayServer.ts';
import {liveTokenOf} from './liveOptions.ts';
import {chosenScenario} from './scenarioFile.ts';
import {UsageError} from './usageError.ts';

export interface PathCommand {
  readonly name: 'path';
  readonly scenario: ScenarioChoice['scenario'];
  readonly overrides: ScenarioChoice['overrides'];
  /** The network namespace that it is to be made around; undefined: it relays what is in UDP, by `host` and `to`. */
  readonly namespace: string | undefined;
  readonly host: string;
  /** Of the first of its ports, 0: so many that are free; around a namespace, of the server's. */
  readonly port: number;
  /** `HOST:PORT` of the server. */
  readonly to: string;
  readonly token: string | undefined;
  /** Each load meets the same losses. */
  readonly isSameLosses: boolean;
  readonly format: 'json' | 'table';
}

/** What `path` takes. */
export const PATH_OPTIONS = {
  scenario: {type: 'string', short: 's'},
  set: {type: 'string', multiple: true},
  seed: {type: 'string'},
  'same-losses': {type: 'boolean'},
  listen: {type: 'string'},
  namespace: {type: 'string'},
  to: {type: 'string'},
  token: {type: 'string'},
  json: {type: 'boolean'},
} as const;

/** Reads what stands behind `path`. @throws UsageError */
export function pathOf(values: {
  readonly scenario?: string | undefined;
  readonly set?: readonly string[] | undefined;
  readonly seed?: string | undefined;
  readonly 'same-losses'?: boolean | undefined;
  readonly listen?: string | undefined;
  readonly namespace?: string | undefined;
  readonly to?: string | undefined;
  readonly token?: string | undefined;
  readonly json?: boolean | undefined;
}): PathCommand {
  const {scenario, set = [], seed, namespace, to = `127.0.0.1:${SCTP_UDP_PORT}`} = values;
  if (namespace !== undefined) checkNamespace(namespace, values);
  const {host, port} = listenAt(values.listen, namespace === undefined ? PATH_PORT : SCTP_UDP_PORT);
  if (port > MOST_FIRST_PORT)
    throw new UsageError(`--listen is ${values.listen}: its port must be at most ${MOST_FIRST_PORT}`);
  const token = liveTokenOf(values);
  if (token === undefined && !isLoopback(host))
    throw new UsageError('--token is missing: other machines could change the path (INTERLEAVE_TOKEN may hold it)');
  return {
    name: 'path',
    scenario,
    namespace,
    host,
    port,
    to: checkedTo(to),
    token,
    isSameLosses: values['same-losses'] ?? false,
    overrides: [...set.map(checkedSetting), ...(seed === undefined ? [] : [`seed=${seed}`])],
    format: values.json ? 'json' : 'table',
  };
}

/** @throws UsageError */
function checkNamespace(name: string, {listen, to, 'same-losses': isSameLosses}: Parameters<typeof pathOf>[0]): void {
  if (!isNamespaceName(name))
    throw new UsageError(
      `--namespace is ${name.slice(0, 100)}: must be 1 to 64 of A–Z, a–z, 0–9, _, . and -, and begin with none of the last two`,
    );
  if (isSameLosses) throw new UsageError('--same-losses: not around a namespace, whose clients have no beginning');
  if (to !== undefined)
    throw new UsageError('--to: around a namespace there is none, the server listens where the path says');
  if (listen !== undefined && !/^[1-9]\d*$/.test(listen))
    throw new UsageError(
      `--listen is ${listen.slice(0, 100)}: around a namespace it is the server’s port, as ${SCTP_UDP_PORT}`,
    );
}

/** The scenario whose path it is; of the rest its seed counts. @throws UsageError */
export function scenarioOfPath({scenario, overrides}: PathCommand): Scenario {
  const chosen = chosenScenario({scenario, page: undefined, isPrivateAllowed: false, overrides});
  const {live} = chosen.path;
  if (live === undefined) return chosen;
  throw new UsageError(`path.live is ${live}: must be absent, it is --to that says where the server is`);
}

/** @throws UsageError if it is of no path */
function checkedSetting(override: string): string {
  const [key = ''] = override.split('=', 1);
  const [first = '', second = ''] = key.split(/[.[]/);
  const isOfPath = first === 'path' && (second === '' || Object.hasOwn(DEFAULT_PATH, second));
  if (isOfPath || key === 'seed') return override;
  const known = Object.keys(DEFAULT_PATH).map(each => `path.${each}`);
  throw new UsageError(`--set ${key.slice(0, 100)}: a path has ${known.join(', ')} and seed`);
}

/** @throws UsageError */
function checkedTo(to: string): string {
  const [, port] = /^(?:[\w.-]{1,253}|\[[\da-fA-F:.]{2,45}\]):(\d{1,5})$/.exec(to) ?? [];
  if (Number(port) >= 1 && Number(port) <= MOST_FIRST_PORT) return to;
  throw new UsageError(
    `--to is ${to.slice(0, 300)}: must be like 127.0.0.1:${SCTP_UDP_PORT}, with a port of 1 to ${MOST_FIRST_PORT}`,
  );
}

/** Behind those of a server on the same machine that has its usual ones. */
export const PATH_PORT = SCTP_UDP_PORT + 10;
