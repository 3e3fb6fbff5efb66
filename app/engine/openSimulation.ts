import type {Pane} from '../pipelines/index.ts';
import type {Step} from '../run/link/linkTrace.ts';
import {gapsText} from '../run/link/packedTrace.ts';
import type {Assumption} from '../run/load/assumption.ts';
import type {RunLimits} from '../run/load/loadNetwork.ts';
import type {HandOver} from '../run/load/loadPane.ts';
import {capturedRefusal} from '../run/scenario/capturedPath.ts';
import {type Jitter, QUEUE_DISCIPLINES, type Queue} from '../run/scenario/linkParts.ts';
import type {Loss} from '../run/scenario/lossModel.ts';
import {changePath, delayNs, meanRateBps, type PathSettings} from '../run/scenario/path.ts';
import type {Scenario} from '../run/scenario/scenario.ts';
import {startMsOf, type TraceSettings, traceOf} from '../run/scenario/traceSettings.ts';
import type {Traffic} from '../run/scenario/traffic.ts';
import type {FlowTrace} from '../run/trace/traceData.ts';
import type {
  CapacityTrace,
  DelayTrace,
  LinkParams,
  LossModel,
  Native,
  NativeSimulation,
  QueueParams,
  SimulationOptions,
  TrafficFlow,
} from './native.ts';

/** The limits of a simulation, the assumption of its loads, and what it records in addition to the trace of packets. */
export interface NetworkOptions {
  /** Whether to record samples of the endpoints' state, for example cwnd and SRTT. */
  readonly samples: boolean;
  /** Whether to record the bytes of packets, for a capture file. */
  readonly bytes: boolean;
  readonly limits: RunLimits;
  /**
   * An assumption that removes one cause of the loads' time, for example that handshakes take no time. It shows how
   * much time this cause costs. By default there is no assumption. The option has no effect on loads that share their
   * path.
   */
  readonly assumption?: Assumption | undefined;
}

/**
 * Limits of one pane's load. The largest page (100 MB) in the smallest packets (576 B) needs 400,000 packets, including
 * acknowledgements. A page on the default path needs a few hundred. A packet needs about five steps.
 */
export const RUN_LIMITS: RunLimits = {packets: 500_000, steps: 5_000_000};

/**
 * Creates a simulation of the scenario's path in the native core, and schedules the scenario's changes of the path,
 * except for hand-overs (see {@link handOversOf}). `panes` contains the panes that load the page in this simulation.
 * Pane i of `panes` is page load i of the simulation.
 * @throws RangeError if the scenario's path is live or captured
 */
export function openSimulation(
  native: Native,
  scenario: Scenario,
  panes: readonly Pick<Pane, 'drop'>[],
  seed: number,
  {limits, samples, bytes}: NetworkOptions,
): NativeSimulation {
  if (scenario.path.live !== undefined)
    throw new RangeError(`invalid path.live: ${scenario.path.live} (a live load cannot be simulated)`);
  if (scenario.path.captured !== undefined) throw new RangeError(capturedRefusal(scenario.path.captured));
  const simulationOptions: SimulationOptions = {
    seed,
    path: pathParams(scenario.path, seed),
    record: {packets: true, samples, bytes},
    limits,
    ...trafficOptions(scenario.path),
  };
  const simulation = new native.Simulation(JSON.stringify(simulationOptions));
  for (const [page, {drop}] of panes.entries()) {
    if (page > 0) simulation.addPage();
    for (const direction of DIRECTIONS) {
      const drops = drop?.[direction];
      if (drops !== undefined) simulation.setDrops(direction, drops, page);
    }
  }
  for (const {atMs, path, change} of pathsOf(scenario)) {
    // the load starts each hand-over itself (`apply` of handOversOf)
    if (change.handover !== undefined) continue;
    for (const direction of DIRECTIONS)
      simulation.changeLink(Math.round(atMs * 1e6), direction, linkParams(path, direction, seed));
  }
  return simulation;
}

/** Returns the changes of a scenario, each with the path that results from it. */
function pathsOf({path, changes}: Pick<Scenario, 'path' | 'changes'>) {
  let now = path;
  return changes.map(({atMs, path: change}) => {
    now = changePath(now, change);
    return {atMs, change, path: now};
  });
}

/**
 * Returns the hand-overs of a scenario. The load calls `apply` at the time of each hand-over, and `simulation` then
 * carries the hand-over out.
 */
export function handOversOf(simulation: NativeSimulation, scenario: Scenario, seed: number): readonly HandOver[] {
  return pathsOf(scenario).flatMap(({atMs, path, change: {handover}}) => {
    if (handover === undefined) return [];
    const [down, up] = DIRECTIONS.map(direction => JSON.stringify(linkParams(path, direction, seed)));
    const apply = () => simulation.handOver(down ?? '', up ?? '');
    return [{atNs: Math.round(atMs * 1e6), noticeNs: Math.round(handover.noticeMs * 1e6), apply}];
  });
}

/**
 * Converts a path's settings into the parameters that the native core expects. The seed decides where a trace with a
 * random start begins.
 */
export function pathParams(path: PathSettings, seed: number): SimulationOptions['path'] {
  return {down: linkParams(path, 'down', seed), up: linkParams(path, 'up', seed), mtuBytes: path.mtuBytes};
}

/** Returns the native core's option for other traffic. The option is absent if the path has no other traffic. */
export function trafficOptions({traffic}: Pick<PathSettings, 'traffic'>): {traffic?: TrafficFlow[]} {
  return traffic === undefined ? {} : {traffic: traffic.flatMap(nativeFlows)};
}

/** Returns the flows of one item of a path's traffic, as the native core expects them. */
function nativeFlows(item: Traffic): TrafficFlow[] {
  const {direction, startMs, endMs} = item;
  const common = {
    direction,
    startNs: Math.round(startMs * 1e6),
    ...(endMs === null ? {} : {endNs: Math.round(endMs * 1e6)}),
  };
  if (item.kind === 'cbr') return [{...common, kind: 'cbr', rateBps: item.rateBps, packetBytes: item.packetBytes}];
  const flow: TrafficFlow = {...common, kind: 'tcp', congestion: item.congestion};
  return Array.from({length: item.flows}, () => flow);
}

/** Returns the flows of a path's traffic, as traces describe them, in the order of {@link trafficOptions}. */
export function flowTraces({traffic = []}: Pick<PathSettings, 'traffic'>): readonly FlowTrace[] {
  return traffic.flatMap((item): FlowTrace[] => {
    const {kind, direction} = item;
    if (kind === 'cbr') return [{kind, direction, rateBps: item.rateBps}];
    return Array.from({length: item.flows}, () => ({kind, direction, congestion: item.congestion}));
  });
}

function linkParams(path: PathSettings, direction: (typeof DIRECTIONS)[number], seed: number): LinkParams {
  const {trace, delayTrace} = path[direction] ?? {};
  return {
    rateBps: path.rateBps[direction],
    ...(trace ? {trace: capacityTrace(trace, direction, seed)} : {}),
    delayNs: delayNs(path, direction),
    ...(delayTrace ? {delayTrace: delayTraceOf(delayTrace, direction, seed)} : {}),
    ...partParams(path, direction),
    loss: lossModel(path.loss[direction]),
    ...queueParams(path, direction),
  };
}

function capacityTrace(settings: TraceSettings, direction: (typeof DIRECTIONS)[number], seed: number): CapacityTrace {
  const trace = traceOf(settings, 'capacity', direction);
  const following = {startNs: startMsOf(settings, trace, seed) * 1e6, repeats: settings.repeats};
  if (trace.kind === 'opportunities') return {opportunities: gapsText(trace.timesMs), ...following};
  return {rates: pairsOf(trace.rows, 1), periodNs: Math.round(trace.periodMs * 1e6), ...following};
}

/** @throws RangeError if the trace is one of delivery opportunities, which is a bug */
function delayTraceOf(settings: TraceSettings, direction: (typeof DIRECTIONS)[number], seed: number): DelayTrace {
  const trace = traceOf(settings, 'delay', direction);
  if (trace.kind !== 'steps') throw new RangeError(`trace ${settings.name} has no delays`);
  const following = {startNs: startMsOf(settings, trace, seed) * 1e6, repeats: settings.repeats};
  return {delaysNs: pairsOf(trace.rows, 1e6), periodNs: Math.round(trace.periodMs * 1e6), ...following};
}

/** Returns one list with two numbers for each row: the row's time in ns, and the row's value multiplied by `unit`. */
function pairsOf(rows: readonly Step[], unit: number): number[] {
  return rows.flatMap(([atMs, value]) => [Math.round(atMs * 1e6), Math.round(value * unit)]);
}

/**
 * Returns the parameters of jitter, reordering, duplication and policing. The result contains only those that the path
 * has.
 */
function partParams(path: PathSettings, direction: (typeof DIRECTIONS)[number]): Partial<LinkParams> {
  const [jitter, reorder] = [path.jitter?.[direction], path.reorder?.[direction]];
  const [duplicate, policer] = [path.duplicate?.[direction], path.policer?.[direction]];
  return {
    ...(jitter === undefined ? {} : {jitter: jitterParams(jitter)}),
    ...(reorder === undefined ? {} : {reorder}),
    ...(duplicate === undefined ? {} : {duplicate}),
    ...(policer === undefined ? {} : {policer}),
  };
}

function jitterParams({ms, ...jitter}: Jitter): NonNullable<LinkParams['jitter']> {
  return {...jitter, spreadNs: Math.round(ms * 1e6)};
}

/**
 * Returns the parameters of the queue. A limit in ms is converted into a limit in bytes, which is at least the size of
 * the largest packet.
 */
function queueParams(
  path: PathSettings,
  direction: (typeof DIRECTIONS)[number],
): Pick<LinkParams, 'queue' | 'queuePackets' | 'queueBytes'> {
  const queue = path.queue?.[direction];
  if (queue === undefined) return {queuePackets: path.queuePackets[direction]};
  const {packets, bytes, ms, ...discipline} = queue;
  const inTime = ms === undefined ? undefined : Math.ceil((meanRateBps(path, direction) * ms) / 8e3);
  const queueBytes = inTime === undefined ? bytes : Math.max(inTime, path.mtuBytes);
  const queuePackets =
    packets ?? (queueBytes === undefined ? QUEUE_DISCIPLINES[queue.kind].usualPackets : MOST_PACKETS);
  return {queue: disciplineParams(discipline), queuePackets, ...(queueBytes === undefined ? {} : {queueBytes})};
}

/**
 * Converts the settings of a queue's discipline into the options of the native core: times into ns, and names into the
 * core's names.
 */
function disciplineParams(settings: Omit<Queue, 'packets' | 'bytes' | 'ms'>): QueueParams {
  const named = Object.entries(settings).map(([key, value]): [string, unknown] => {
    if (key === 'ecn') return ['marks', value];
    return key.endsWith('Ms') ? [`${key.slice(0, -2)}Ns`, Math.round(Number(value) * 1e6)] : [key, value];
  });
  return Object.fromEntries(named) as unknown as QueueParams;
}

/** A limit in packets that no queue reaches, because each queue that has it reaches its limit in bytes first. */
const MOST_PACKETS = 2 ** 32 - 1;

function lossModel(loss: Loss): LossModel {
  return loss.model === 'list' ? {...loss, packets: [...loss.packets]} : loss;
}

const DIRECTIONS = ['down', 'up'] as const;
