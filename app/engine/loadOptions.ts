import type {Pane} from '../pipelines/index.ts';
import type {LoadOptions} from '../run/load/loadPane.ts';
import {cpuFactor} from '../run/scenario/cpu.ts';
import {meanRateBps} from '../run/scenario/path.ts';
import {paneBrowser, paneServer, type Scenario} from '../run/scenario/scenario.ts';

/** Returns the options with which a pane of the scenario is loaded. */
export function loadOptions(scenario: Scenario, pane: Pane): LoadOptions {
  return {
    discovery: scenario.discovery,
    browser: paneBrowser(scenario, pane),
    cpuFactor: cpuFactor(scenario.cpu),
    certificate: scenario.certificate,
    dnsNs: Math.round(scenario.dnsMs * 1e6),
    server: paneServer(scenario, pane),
    thinkNs: Math.round(scenario.serverThinkMs * 1e6),
    thinksInTurn: scenario.serverThinking === 'in-turn',
    timeLimitNs: Math.round(scenario.timeLimitMs * 1e6),
    rateBps: meanRateBps(scenario.path, 'down'),
    retryNs: retryNs(scenario),
  };
}

/**
 * Returns how long a load waits before it repeats a write that the transport has refused, in ns. If the write is
 * refused again, the load waits longer. The result is the time to serialise a full packet, but at least 1 ms and at
 * most 100 ms, so that retries are neither too frequent nor too late.
 */
function retryNs({path}: Scenario): number {
  return Math.min(Math.max((path.mtuBytes * 8e9) / meanRateBps(path, 'down'), 1e6), 1e8);
}
