import {type ConvertedPage, type PageSnapshot, pageAs, pageStamp} from '../page/page.ts';
import type {RunLimits} from '../run/load/loadNetwork.ts';
import {loadPane} from '../run/load/loadPane.ts';
import {capturedPackets} from '../run/packets/captureFile.ts';
import {decodePacket} from '../run/packets/decodePacket.ts';
import type {Part} from '../run/packets/part.ts';
import {scenarioDocument} from '../run/scenario/document.ts';
import {meanRateBps} from '../run/scenario/path.ts';
import {paneBrowser, paneServer, type Scenario, withSeed} from '../run/scenario/scenario.ts';
import type {Run} from '../run/trace/runFile.ts';
import type {TraceData} from '../run/trace/traceData.ts';
import type {Native, NativeSimulation} from './native.ts';
import {flowTraces, type NetworkOptions, openSimulation, RUN_LIMITS} from './openSimulation.ts';
import {SimulatedNetwork} from './simulatedNetwork.ts';

/** The loads that can be computed on a native core. */
export interface Loads {
  /**
   * Loads the page in every pane of the scenario, in virtual time. The result depends only on the arguments. Each pane
   * has its own copy of the path. All panes lose packets with the same numbers, because a random loss depends only on
   * the seed and on the packet's number in its direction. If loss affects data packets only, it depends on the packet's
   * number among the data packets of its direction. A pane may drop more packets (`Pane.drop`).
   */
  load(page: PageSnapshot, scenario: Scenario, seed: number, limits?: RunLimits): Run;
  /** Loads the page in one pane, like {@link load}, but without samples, which metrics do not use. */
  loadToMeasure(page: ConvertedPage, scenario: Scenario, seed: number, pane: number): TraceData;
  /** Returns the packets of one pane as a capture file in the format pcapng, with times in nanoseconds. */
  capture(page: ConvertedPage, scenario: Scenario, seed: number, pane: number): Uint8Array;
  /**
   * Decodes one packet of a pane. `row` is the packet's row in the run's trace. The load is simulated again to get the
   * packet's bytes, because a trace does not contain them. Undefined if there is no such row.
   * @throws RangeError if there is no such pane
   */
  packetParts(page: ConvertedPage, scenario: Scenario, pane: number, row: number): readonly Part[] | undefined;
}

/** `program` returns the name and version of the program, which captures contain. */
export function loadsOn(native: Native, program: () => string): Loads {
  const capture: Loads['capture'] = (page, scenario, seed, pane) => {
    const options = {samples: false, bytes: true, limits: RUN_LIMITS};
    return onPane(native, page, scenario, seed, pane, options, (_trace, simulation) => simulation.pcapng(program()));
  };
  return {
    load(page, scenario, seed, limits = RUN_LIMITS) {
      const panes = scenario.panes.map((_, pane) => {
        return onPane(native, page, scenario, seed, pane, {samples: true, bytes: false, limits}, trace => trace);
      });
      return {scenario: scenarioDocument(withSeed(scenario, seed)), page: pageStamp(page), panes};
    },

    loadToMeasure(page, scenario, seed, pane) {
      const options = {samples: false, bytes: false, limits: RUN_LIMITS};
      return onPane(native, page, scenario, seed, pane, options, trace => trace);
    },

    capture,

    packetParts(page, scenario, pane, row) {
      const packets = capturedPackets(capture(page, scenario, scenario.seed, pane));
      return row < packets.length ? decodePacket(packets, row) : undefined;
    },
  };
}

/** @throws RangeError if there is no such pane */
function onPane<T>(
  native: Native,
  page: ConvertedPage,
  scenario: Scenario,
  seed: number,
  number: number,
  options: NetworkOptions,
  use: (trace: TraceData, simulation: NativeSimulation) => T,
): T {
  const pane = scenario.panes[number];
  if (pane === undefined) throw new RangeError(`invalid pane: ${number} (there are ${scenario.panes.length})`);
  const simulation = openSimulation(native, scenario, pane, seed, options);
  const flows = flowTraces(scenario.path);
  const traffic = () => (flows.length === 0 ? undefined : {flows, packets: simulation.traffic()});
  const network = new SimulatedNetwork(simulation, options.limits, {traffic});
  try {
    const trace = loadPane(network, pageAs(page, pane.conversion), pane, {
      discovery: scenario.discovery,
      browser: paneBrowser(scenario, pane),
      server: paneServer(scenario, pane),
      thinkNs: Math.round(scenario.serverThinkMs * 1e6),
      thinksInTurn: scenario.serverThinking === 'in-turn',
      timeLimitNs: Math.round(scenario.timeLimitMs * 1e6),
      rateBps: meanRateBps(scenario.path, 'down'),
      retryNs: retryNs(scenario),
    });
    return use(trace, simulation);
  } finally {
    network.free();
  }
}

/**
 * How long a load waits before it repeats a write, in ns. It is the time to serialise a full packet, but between 1 and
 * 100 ms, so that retries are neither too frequent nor too late.
 */
function retryNs({path}: Scenario): number {
  return Math.min(Math.max((path.mtuBytes * 8e9) / meanRateBps(path, 'down'), 1e6), 1e8);
}
