import {livePathOf} from '../../app/run/scenario/livePath.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';

/** The servers that a scenario loads from; none if it is computed. */
export function liveServers(scenario: Scenario): readonly string[] {
  return [...new Set(scenario.panes.flatMap(pane => livePathOf(scenario, pane)?.live ?? []))];
}

/** Those of them that are not of this machine. */
export function otherServers(scenario: Scenario): readonly string[] {
  return liveServers(scenario).filter(live => !OWN_SERVER.test(live));
}

/** By an address of its own: a name could be anybody's. */
const OWN_SERVER = /^(localhost|127(\.\d{1,3}){3}|\[::1\]):\d+$/i;
