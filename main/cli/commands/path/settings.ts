import type {Problem} from '../../../../app/base/schema.ts';
import {showValue} from '../../../../app/base/text.ts';
import {PART_KEYS} from '../../../../app/run/scenario/linkParts.ts';
import {changePath, DEFAULT_PATH} from '../../../../app/run/scenario/path.ts';
import {trafficRuns} from '../../../../app/run/scenario/runningPath.ts';
import type {Scenario} from '../../../../app/run/scenario/scenario.ts';
import type {Place} from '../../options/listen.ts';
import type {Format} from '../../options/output.ts';
import {chosenScenario, type ScenarioChoice} from '../../options/scenario.ts';
import {UsageError} from '../../options/usageError.ts';

/**
 * The settings of `interleave path`. `port` is the first of the path's ports, or 0 for any four free ports. With a
 * namespace, `port` is the first port of the server.
 */
export interface PathSettings extends Place, Pick<ScenarioChoice, 'scenario' | 'overrides'> {
  /** The network namespace whose traffic takes the path. If undefined, the path relays UDP from `host` to `to`. */
  readonly namespace: string | undefined;
  /** `HOST:PORT` of the server. */
  readonly to: string;
  readonly token: string | undefined;
  /** Whether the losses begin anew when a new client comes after a second without packets. */
  readonly isSameLosses: boolean;
  readonly format: Format;
}

/** Returns the scenario whose path, timed changes and seed are used. @throws UsageError */
export function scenarioOfPath({scenario, overrides}: PathSettings): Scenario {
  const chosen = chosenScenario({scenario, page: undefined, overrides});
  const {live} = chosen.path;
  const own = chosen.panes.findIndex(({drop}) => drop !== undefined);
  if (own >= 0)
    throw new UsageError(
      `panes[${own}].drop is ${showValue(chosen.panes[own]?.drop)}: must be absent, because a path that carries real packets has no panes`,
    );
  if (live !== undefined) throw new UsageError(`path.live is ${live}: must be absent, because --to names the server`);
  let {path} = chosen;
  for (const change of [undefined, ...chosen.changes]) {
    if (change !== undefined) path = changePath(path, change.path);
    const problems: Problem[] = [];
    if (!trafficRuns(path, problems)) throw new UsageError(problems[0]?.message ?? 'path.traffic is not possible');
  }
  return chosen;
}

/**
 * Returns the value of one option `--set` unchanged.
 * @throws UsageError unless it sets the path or one of its keys, the timed changes, or the seed
 */
export function checkedSetting(override: string): string {
  const [key = ''] = override.split('=', 1);
  const [first = '', second = ''] = key.split(/[.[]/);
  const isOfPath = first === 'path' && (second === '' || SETTINGS.includes(second));
  if (isOfPath || first === 'changes' || key === 'seed') return override;
  const known = SETTINGS.map(each => `path.${each}`);
  throw new UsageError(`--set ${key.slice(0, 100)}: the settings of a path are ${known.join(', ')}, changes and seed`);
}

/** The settings of a path that carries real packets. */
const SETTINGS: readonly string[] = [...Object.keys(DEFAULT_PATH), ...PART_KEYS, 'down', 'up', 'traffic'];
