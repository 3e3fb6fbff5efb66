import {livePathOf} from '../../app/run/scenario/livePath.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';

/** The addresses of the servers that a scenario's panes load from; empty if all panes are simulated. */
export function liveServers(scenario: Scenario): readonly string[] {
  return [...new Set(scenario.panes.flatMap(pane => livePathOf(scenario, pane)?.live ?? []))];
}

/** The servers that a scenario loads from, without those on this machine. */
export function otherServers(scenario: Scenario): readonly string[] {
  return liveServers(scenario).filter(live => !OWN_SERVER.test(live));
}

/** Matches the addresses of this machine. Any other name could resolve to another machine. */
const OWN_SERVER = /^(localhost|127(\.\d{1,3}){3}|\[::1\]):\d+$/i;
