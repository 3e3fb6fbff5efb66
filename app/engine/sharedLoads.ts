import {type ConvertedPage, pageAs} from '../page/page.ts';
import {loadTogether} from '../run/load/loadPane.ts';
import type {Scenario} from '../run/scenario/scenario.ts';
import type {PacketColumns, TrafficColumns} from '../run/trace/columns.ts';
import type {FlowTrace, TraceData, TrafficTrace} from '../run/trace/traceData.ts';
import {loadOptions} from './loadOptions.ts';
import type {Native, NativeSimulation} from './native.ts';
import {flowTraces, handOversOf, type NetworkOptions, openSimulation} from './openSimulation.ts';
import {SimulatedNetwork} from './simulatedNetwork.ts';
import {SimulationReader} from './simulationReader.ts';

/**
 * Loads the page in all panes of the scenario at the same time, over one path. In the trace of each pane, the packets
 * of the other panes are other traffic. The limits of `options` are limits for one pane. Multiplied by the number of
 * panes, they hold for all panes together.
 */
export function onSharedPath<T>(
  native: Native,
  page: ConvertedPage,
  scenario: Scenario,
  seed: number,
  options: NetworkOptions,
  use: (traces: readonly TraceData[], simulation: NativeSimulation) => T,
): T {
  const {panes} = scenario;
  const limits = {packets: options.limits.packets * panes.length, steps: options.limits.steps * panes.length};
  const simulation = openSimulation(native, scenario, panes, seed, {...options, limits});
  const reader = new SimulationReader(simulation, limits);
  try {
    const shared = panes.map((pane, number) => ({
      network: new SimulatedNetwork(simulation, limits, {
        reader,
        page: number,
        traffic: () => otherTraffic(simulation, scenario, number),
      }),
      page: pageAs(page, pane.conversion),
      pane,
      options: loadOptions(scenario, pane),
    }));
    return use(loadTogether(shared, handOversOf(simulation, scenario, seed)), simulation);
  } finally {
    reader.free();
  }
}

/**
 * Returns the traffic with which a pane shares the path: the traffic of the scenario, and the loads of the other panes.
 */
function otherTraffic(simulation: NativeSimulation, scenario: Scenario, pane: number): TrafficTrace | undefined {
  const flows: FlowTrace[] = [...flowTraces(scenario.path)];
  const tables = flows.length === 0 ? [] : [simulation.traffic()];
  for (const [other, {pipeline}] of scenario.panes.entries()) {
    if (other === pane) continue;
    tables.push(asTraffic(simulation.packets(other), flows.length));
    flows.push({kind: 'page', pane: other, pipeline});
  }
  return flows.length === 0 ? undefined : {flows, packets: joined(tables)};
}

function asTraffic(packets: PacketColumns, flow: number): TrafficColumns {
  const {direction, bytes, sentNs, leftNs, fate, fateNs} = packets;
  return {flow: new Uint32Array(sentNs.length).fill(flow), direction, bytes, sentNs, leftNs, fate, fateNs};
}

function joined(tables: readonly TrafficColumns[]): TrafficColumns {
  const rows = tables.reduce((sum, {flow}) => sum + flow.length, 0);
  const all: TrafficColumns = {
    flow: new Uint32Array(rows),
    direction: new Uint8Array(rows),
    bytes: new Uint32Array(rows),
    sentNs: new Float64Array(rows),
    leftNs: new Float64Array(rows),
    fate: new Uint8Array(rows),
    fateNs: new Float64Array(rows),
  };
  let at = 0;
  for (const table of tables) {
    for (const [name, column] of Object.entries(table)) all[name as keyof TrafficColumns].set(column, at);
    at += table.flow.length;
  }
  return all;
}
