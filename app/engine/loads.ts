import {type ConvertedPage, type PageSnapshot, pageAs, pageStamp} from '../page/page.ts';
import type {Pane} from '../pipelines/index.ts';
import type {Assumption} from '../run/load/assumption.ts';
import type {RunLimits} from '../run/load/loadNetwork.ts';
import {loadPane} from '../run/load/loadPane.ts';
import {capturedPackets} from '../run/packets/captureFile.ts';
import {decodePacket} from '../run/packets/decodePacket.ts';
import type {Part} from '../run/packets/part.ts';
import {scenarioDocument} from '../run/scenario/document.ts';
import {isShared, type Scenario, withSeed} from '../run/scenario/scenario.ts';
import type {Run} from '../run/trace/runFile.ts';
import type {TraceData} from '../run/trace/traceData.ts';
import {loadOptions} from './loadOptions.ts';
import type {Native, NativeSimulation} from './native.ts';
import {flowTraces, handOversOf, type NetworkOptions, openSimulation, RUN_LIMITS} from './openSimulation.ts';
import {onSharedPath} from './sharedLoads.ts';
import {SimulatedNetwork} from './simulatedNetwork.ts';

/** How a run is computed. */
export interface RunOptions {
  /** {@link RUN_LIMITS} by default. */
  readonly limits?: RunLimits;
  /**
   * An assumption that removes one cause of the loads' time, for example that handshakes take no time. It shows how
   * much time this cause costs. By default there is no assumption. The option has no effect on loads that share their
   * path.
   */
  readonly assumption?: Assumption | undefined;
}

/** The loads that can be computed on a native core. */
export interface Loads {
  /**
   * Loads the page in every pane of the scenario, in virtual time. The result depends only on the arguments. Each pane
   * has its own copy of the path, unless all panes load at the same time over one path (`PathSettings.atOnce`).
   * Random losses hit the same packet numbers on every copy, because they depend only on the seed and on the packet's
   * number in its direction. If the loss applies to packets with data, only these packets are counted. A pane can drop
   * more packets (`Pane.drop`).
   */
  load(page: PageSnapshot, scenario: Scenario, seed: number, options?: RunOptions): Run;
  /** Loads the page in one pane, like {@link load}, but without samples, which metrics do not use. */
  loadToMeasure(
    page: ConvertedPage,
    scenario: Scenario,
    seed: number,
    pane: number,
    assumption?: Assumption,
  ): TraceData;
  /**
   * Loads the page in one pane, like {@link loadToMeasure}, but with the samples from which the causes of times are
   * computed.
   */
  loadToExplain(page: ConvertedPage, scenario: Scenario, seed: number, pane: number): TraceData;
  /** Returns the packets of one pane as a capture file in the format pcapng, with times in nanoseconds. */
  capture(page: ConvertedPage, scenario: Scenario, seed: number, pane: number): Uint8Array;
  /**
   * Decodes one packet of a pane. `row` is the packet's row in the run's trace. The load is simulated again to get the
   * packet's bytes, because a trace does not contain them. Returns undefined if there is no such row.
   * @throws RangeError if there is no such pane
   */
  packetParts(page: ConvertedPage, scenario: Scenario, pane: number, row: number): readonly Part[] | undefined;
}

/**
 * Returns the loads that run on a native core. `program` returns the name and version of the program, which are written
 * into captures.
 */
export function loadsOn(native: Native, program: () => string): Loads {
  const capture: Loads['capture'] = (page, scenario, seed, pane) => {
    const options = {samples: false, bytes: true, limits: RUN_LIMITS};
    const packetsOf = (simulation: NativeSimulation, number: number) => simulation.pcapng(program(), number);
    if (isShared(scenario)) {
      checkPane(scenario, pane);
      return onSharedPath(native, page, scenario, seed, options, (_, simulation) => packetsOf(simulation, pane));
    }
    return onPane(native, page, scenario, seed, pane, options, (_, simulation) => packetsOf(simulation, 0));
  };
  const onePane = (options: NetworkOptions): Loads['loadToMeasure'] => {
    const shared = lastShared(native, options);
    return (page, scenario, seed, pane, assumption) => {
      if (isShared(scenario)) return shared(page, scenario, seed)[checkPane(scenario, pane)] as TraceData;
      return onPane(native, page, scenario, seed, pane, {...options, assumption}, trace => trace);
    };
  };
  return {
    load(page, scenario, seed, {limits = RUN_LIMITS, assumption} = {}) {
      const options = {samples: true, bytes: false, limits, assumption};
      const panes = isShared(scenario)
        ? onSharedPath(native, page, scenario, seed, options, traces => traces)
        : scenario.panes.map((_, pane) => onPane(native, page, scenario, seed, pane, options, trace => trace));
      return {scenario: scenarioDocument(withSeed(scenario, seed)), page: pageStamp(page), panes};
    },

    loadToMeasure: onePane(MEASURED),

    loadToExplain: onePane(EXPLAINED),

    capture,

    packetParts(page, scenario, pane, row) {
      const packets = capturedPackets(capture(page, scenario, scenario.seed, pane));
      return row < packets.length ? decodePacket(packets, row) : undefined;
    },
  };
}

const MEASURED: NetworkOptions = {samples: false, bytes: false, limits: RUN_LIMITS};
const EXPLAINED: NetworkOptions = {...MEASURED, samples: true};

/**
 * Returns a function that computes the traces of all panes of a scenario whose panes load over one path. It keeps the
 * traces of the last load, so that a caller that asks for one pane after the other computes the load only once.
 */
function lastShared(native: Native, options: NetworkOptions) {
  let last: {page: ConvertedPage; scenario: Scenario; seed: number; traces: readonly TraceData[]} | undefined;
  return (page: ConvertedPage, scenario: Scenario, seed: number): readonly TraceData[] => {
    if (last?.page !== page || last.scenario !== scenario || last.seed !== seed) {
      const traces = onSharedPath(native, page, scenario, seed, options, each => each);
      last = {page, scenario, seed, traces};
    }
    return last.traces;
  };
}

/** Returns the number of the pane. @throws RangeError if there is no such pane */
function checkPane({panes}: Scenario, number: number): number {
  if (panes[number] === undefined) throw new RangeError(`invalid pane: ${number} (there are ${panes.length})`);
  return number;
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
  const pane = scenario.panes[checkPane(scenario, number)] as Pane;
  const simulation = openSimulation(native, scenario, [pane], seed, options);
  const flows = flowTraces(scenario.path);
  const traffic = () => (flows.length === 0 ? undefined : {flows, packets: simulation.traffic()});
  const network = new SimulatedNetwork(simulation, options.limits, {traffic, assumption: options.assumption});
  try {
    const handOvers = handOversOf(simulation, scenario, seed);
    const trace = loadPane(network, pageAs(page, pane.conversion), pane, loadOptions(scenario, pane), handOvers);
    return use(trace, simulation);
  } finally {
    network.free();
  }
}
