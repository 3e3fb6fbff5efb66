import type {Json} from '../../base/json.ts';
import {pipelineOf} from '../../pipelines/index.ts';
import {packetEdit} from '../cause/dropPacket.ts';
import type {Assumption} from '../load/assumption.ts';
import {isComputedPath} from '../scenario/capturedPath.ts';
import {scenarioDocument} from '../scenario/document.ts';
import {setKey} from '../scenario/override.ts';
import {parseScenario, type Scenario} from '../scenario/scenario.ts';
import {FATE, PACKET_KIND} from '../trace/columns.ts';
import type {Trace} from '../trace/trace.ts';
import {durationText} from '../trace/traceTexts.ts';
import type {CauseName} from './causeKinds.ts';
import {causeTotals, nsOf} from './causeTotals.ts';
import type {PathSpan} from './criticalPath.ts';
import {objectsOnPath, type Path} from './loadPaths.ts';

/**
 * A change of a load that takes away causes of its time. A load of `scenario` shows how much time the change saves.
 * `attributedNs` is the time that it should save according to the critical path.
 */
export interface Intervention {
  readonly name: InterventionName;
  /** The assumption, as in `if {label}`. */
  readonly label: string;
  /** The causes that the intervention takes away. */
  readonly causes: readonly CauseName[];
  /**
   * The part of the critical path that the intervention should take away, ns. It may be less than the whole time of
   * {@link Intervention.causes}. `set-up` counts recovery only for packets of the handshake. `lost-packet`, `no-loss`
   * and `policer` count only the time due to the packets that they save. From the time of the cause `server`, the
   * intervention `server` counts only the thinking, and `window` and `send-buffer` only the waits for room in the send
   * buffer.
   */
  readonly attributedNs: number;
  /**
   * The scenario, with the settings that take the causes away if there are such settings. Its only pane is the pane
   * that is explained.
   */
  readonly scenario: Scenario;
  /** The objects that keep their bodies. All other bodies are empty. Only the intervention `objects-first` has this. */
  readonly onlyObjects?: ReadonlySet<number>;
  /** A further assumption of the load. No setting of a scenario can express it. */
  readonly assumption?: Assumption;
}

/** What an intervention saved. */
export interface Intervened extends Intervention {
  /**
   * How much earlier the load reaches the end of its critical path, ns. Below 0 if it does so later, and null if it
   * never does.
   */
  readonly savedNs: number | null;
}

export type InterventionName =
  | 'dns'
  | 'set-up'
  | 'tls'
  | 'server'
  | 'window'
  | 'send-buffer'
  | 'objects-first'
  | 'other-traffic'
  | 'lost-packet'
  | 'no-loss'
  | 'policer'
  | 'hand-over';

/**
 * Returns the interventions for a pane's critical path, in the order of causes. There are none if the panes share one
 * path, because the other panes would change, too, and none if the load was not computed. Some causes have no
 * intervention. For example, nothing can take away propagation and the link's time for the object's own bytes.
 */
export function interventionsOf(scenario: Scenario, pane: number, trace: Trace, path: Path): readonly Intervention[] {
  const settings = scenario.panes[pane];
  if (settings === undefined || scenario.path.atOnce === true || !isComputedPath(scenario.path)) return [];
  const alone = {...scenario, panes: [settings]};
  const totals = causeTotals(path);
  const timeOf = (...causes: readonly CauseName[]): Share => ({
    causes,
    attributedNs: causes.reduce((sum, cause) => sum + nsOf(totals, cause), 0),
  });
  const {acknowledges, isOfDatagrams = false} = pipelineOf(settings.pipeline);
  const isQuic = acknowledges === 'packets';
  const hasTls = 'tls' in settings && settings.tls === true;
  const hasBuffer = 'sendBuffer' in settings && settings.sendBuffer !== null;
  const waits = hasBuffer ? bufferWaits(alone, path) : NO_TIME;
  const server = timeOf('server');
  const pacing = timeOf('pacing');
  // over bare datagrams, the server spaces its packets without a window
  const windows = [timeOf('slow-start', 'window', 'recovery-window'), ...(isOfDatagrams ? [] : [pacing])];
  const changed = (
    name: InterventionName,
    label: string,
    share: Share,
    ...keys: readonly KeyValue[]
  ): readonly Intervention[] => {
    const without = share.attributedNs > 0 ? changedScenario(alone, keys) : undefined;
    return without === undefined ? [] : [{name, label, ...share, scenario: without}];
  };
  return [
    ...changed('dns', 'the addresses are known', timeOf('dns'), ['dnsMs', 0]),
    ...(isQuic
      ? changed('set-up', 'the handshake costs no round trip (0-RTT)', timeOf('set-up'), ['panes.0.visit', 'again'])
      : freeSetUp(alone, trace, path)),
    ...(hasTls ? changed('tls', 'there is no TLS', timeOf('tls'), ['panes.0.tls', false]) : []),
    ...changed(
      'server',
      'the server does not think',
      {...server, attributedNs: server.attributedNs - waits.attributedNs},
      ['serverThinkMs', 0],
    ),
    ...unlimitedWindow(alone, isQuic, sumOf([...windows, waits])),
    // a server that a small send buffer holds back in the middle of a response seems to pace its packets
    ...changed('send-buffer', 'the send buffer holds the whole page', sumOf([pacing, waits]), [
      'panes.0.sendBuffer',
      null,
    ]),
    ...objectsFirst(alone, path, timeOf('other-bytes')),
    ...changed('other-traffic', 'there is no other traffic', timeOf('other-traffic'), ['path.traffic', null]),
    ...lostPacket(alone, trace, path),
    ...changed(
      'no-loss',
      'the path loses no packet outside of queues and policers',
      timeOfFate(trace, path, FATE.lost, ['recovery-window']),
      ['path.loss', 0],
      ['panes.0.drop', null],
    ),
    ...changed(
      'policer',
      'the path has no policer',
      timeOfFate(trace, path, FATE.policed, ['recovery-window', 'window']),
      ['path.policer', null],
      ...inChanges(alone, 'policer', null),
    ),
    // paths change at the same times, but no connection ends or migrates
    ...changed(
      'hand-over',
      'the client keeps its address',
      timeOf('hand-over'),
      ...inChanges(alone, 'handover', false),
    ),
  ];
}

/** Assumes that the handshake of the transport takes no time, and loses no packets. */
function freeSetUp(scenario: Scenario, trace: Trace, path: Path): readonly Intervention[] {
  const {kind} = trace.data.packets;
  const isOfSetUp = ({cause, packet}: PathSpan): boolean =>
    cause === 'set-up' || (packet !== undefined && kind[packet] === PACKET_KIND.setUp);
  const share = shareOf(path, isOfSetUp);
  if (share.attributedNs === 0) return [];
  const label = 'the handshake of the transport takes no time';
  return [{name: 'set-up', label, ...share, scenario, assumption: 'free-set-up'}];
}

/**
 * Assumes that the first congestion window has 1000 packets and that the send buffer holds the whole page. A loss still
 * reduces the window.
 */
function unlimitedWindow(scenario: Scenario, isQuic: boolean, share: Share): readonly Intervention[] {
  if (share.attributedNs === 0) return [];
  const found = {name: 'window', label: 'the first window has 1000 packets', ...share} as const;
  const keys = [
    ['panes.0.sendBuffer', null] as const,
    ...(isQuic ? [['panes.0.firstWindowPackets', 1000] as const] : []),
  ];
  const without = changedScenario(scenario, keys);
  if (isQuic) return without === undefined ? [] : [{...found, scenario: without}];
  return [{...found, scenario: without ?? scenario, assumption: 'unlimited-window'}];
}

/**
 * Returns the time in which the server waited for room in a small send buffer before a response. While the buffer has
 * no room for a response, the server seems to think. The time that it really thinks does not count.
 */
function bufferWaits(scenario: Scenario, path: Path): Share {
  const thinkNs = scenario.serverThinkMs * 1e6;
  const attributedNs = [...objectsOnPath(path)].reduce((sum, own) => {
    const share = shareOf(path, ({cause, object}) => cause === 'server' && object === own);
    return sum + Math.max(0, share.attributedNs - thinkNs);
  }, 0);
  return {causes: ['server'], attributedNs};
}

/**
 * Returns the time that the lost packets with the fate `wanted` ({@link FATE}) cost. The time until they were repaired
 * counts in full. Two kinds of time are due to all lost packets: the time of the causes `reduced`, in which losses had
 * made the window smaller, and waits for which no packet is known. This time is multiplied by the share of the packets
 * with this fate among all lost packets.
 */
function timeOfFate(trace: Trace, path: Path, wanted: number, reduced: readonly CauseName[]): Share {
  const {fate} = trace.data.packets;
  const dropped = trace.droppedPackets();
  const count = dropped.filter(packet => fate[packet] === wanted).length;
  if (count === 0) return NO_TIME;
  const certain = shareOf(path, ({packet}) => packet !== undefined && fate[packet] === wanted);
  const possible = shareOf(
    path,
    ({cause, packet}) => reduced.includes(cause) || (cause === 'blocking' && packet === undefined),
  );
  return sumOf([certain, {...possible, attributedNs: Math.round((possible.attributedNs * count) / dropped.length)}]);
}

/** A part of a path, and the causes that it consists of. */
type Share = Pick<Intervention, 'causes' | 'attributedNs'>;

const NO_TIME: Share = {causes: [], attributedNs: 0};

/** Returns the time of some spans of a path, and their causes. */
function shareOf(path: Path, isCounted: (span: PathSpan) => boolean): Share {
  const counted = path.filter(isCounted);
  const attributedNs = counted.reduce((sum, {fromNs, untilNs}) => sum + untilNs - fromNs, 0);
  return {attributedNs, causes: [...new Set(counted.map(({cause}) => cause))]};
}

/** Joins parts of a path that do not overlap. */
function sumOf(shares: readonly Share[]): Share {
  return {
    causes: [...new Set(shares.flatMap(({causes}) => causes))],
    attributedNs: shares.reduce((sum, {attributedNs}) => sum + attributedNs, 0),
  };
}

type KeyValue = readonly [key: string, value: Json];

/** Returns the overrides that give `key` this value in each change of the path that sets `key`. */
function inChanges({changes}: Scenario, key: 'policer' | 'handover', value: Json): readonly KeyValue[] {
  return changes.flatMap(({path}, i) =>
    path[key] === undefined ? [] : [[`changes.${i}.path.${key}`, value] as const],
  );
}

/** Returns the scenario with these values of keys. Undefined if it is not valid, or if nothing changes. */
function changedScenario(scenario: Scenario, keys: readonly KeyValue[]): Scenario | undefined {
  const before: Json = scenarioDocument(scenario);
  const document = keys.reduce<Json>((each, [key, value]) => setKey(each, key, value), before);
  const parsed = parseScenario(document);
  if (!parsed.ok || JSON.stringify(scenarioDocument(parsed.scenario)) === JSON.stringify(before)) return undefined;
  return parsed.scenario;
}

/**
 * Assumes that all objects that the path does not go through have no bytes, as if the objects on the path always came
 * first.
 */
function objectsFirst(scenario: Scenario, path: Path, share: Share): readonly Intervention[] {
  if (share.attributedNs === 0) return [];
  const label = 'the objects of the path come before all others';
  return [{name: 'objects-first', label, ...share, scenario, onlyObjects: objectsOnPath(path)}];
}

/**
 * Assumes that the lost packet with the most time on the critical path arrives. Empty if this packet was not dropped by
 * the loss model or by the pane's `drop`: no setting can save one particular packet that a queue or a policer dropped,
 * or that a hand-over lost.
 */
function lostPacket(scenario: Scenario, trace: Trace, path: Path): readonly Intervention[] {
  const waits = new Map<number, number>();
  for (const {packet, fromNs, untilNs} of path) {
    if (packet !== undefined) waits.set(packet, (waits.get(packet) ?? 0) + untilNs - fromNs);
  }
  const most = [...waits].reduce<readonly [number, number] | null>(
    (best, each) => (best === null || each[1] > best[1] ? each : best),
    null,
  );
  if (most === null) return [];
  const [packet] = most;
  const edit = packetEdit(scenario, [trace], {pane: 0, packet});
  if (!edit.ok || edit.isDrop) return [];
  const without = changedScenario(scenario, [[edit.key, edit.value]]);
  if (without === undefined) return [];
  const label = `${edit.packet} arrives`;
  return [{name: 'lost-packet', label, ...shareOf(path, span => span.packet === packet), scenario: without}];
}

/** Says what an intervention saved, such as `there is no TLS: 700 ms saved, 700 ms attributed`. */
export function savedText({label, attributedNs, savedNs}: Intervened): string {
  const saved =
    savedNs === null
      ? 'the moment is never reached'
      : `${durationText(Math.abs(savedNs))} ${savedNs < 0 ? 'lost' : 'saved'}`;
  return `${label}: ${savedNs === 0 ? 'nothing saved' : saved}, ${durationText(attributedNs)} attributed`;
}
