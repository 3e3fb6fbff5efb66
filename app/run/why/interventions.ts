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
 * A way to take causes away. The load with `scenario` shows what it saves, beside what the causes have on the critical
 * path.
 */
export interface Intervention {
  readonly name: InterventionName;
  /** The assumption, as in `if {label}`. */
  readonly label: string;
  /** The causes that it takes away. */
  readonly causes: readonly CauseName[];
  /**
   * The part of the critical path that the intervention should take away, ns. It may be less than the whole time of
   * {@link Intervention.causes}: only the time of the packets concerned (`lost-packet`, `policer`), or not the server's
   * real think time (`send-buffer`, `server`).
   */
  readonly attributedNs: number;
  /** The scenario without the causes. Its only pane is the pane that is explained. */
  readonly scenario: Scenario;
  /** If set, the bodies of all other objects are empty ({@link Intervention.name} `objects-first`). */
  readonly onlyObjects?: ReadonlySet<number>;
  /** What the load has to assume besides, because no setting gives it. */
  readonly assumption?: Assumption;
}

/** What an intervention saved. */
export interface Intervened extends Intervention {
  /** How much earlier the moment is, ns. It is below 0 if it is later, and null if the load never reaches it. */
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
 * Returns the ways to take away causes of a pane's critical path, in the order of causes. There are none for panes that
 * share their path, because the others would change, too. Causes that nothing can take away are not among them:
 * propagation, and the link's time for the object's own bytes.
 */
export function interventionsOf(scenario: Scenario, pane: number, trace: Trace, path: Path): readonly Intervention[] {
  const settings = scenario.panes[pane];
  if (settings === undefined || scenario.path.atOnce === true || !isComputedPath(scenario.path)) return [];
  const alone = {...scenario, panes: [settings]};
  const totals = causeTotals(path);
  const of = (causes: readonly CauseName[]): number => causes.reduce((sum, cause) => sum + nsOf(totals, cause), 0);
  const changed = (
    name: InterventionName,
    label: string,
    {causes, attributedNs = of(causes)}: Pick<Share, 'causes'> & Partial<Share>,
    ...keys: readonly KeyValue[]
  ): readonly Intervention[] => {
    const without = attributedNs > 0 ? changedScenario(alone, keys) : undefined;
    return without === undefined ? [] : [{name, label, causes, attributedNs, scenario: without}];
  };
  const hasTls = 'tls' in settings && settings.tls === true;
  const isQuic = pipelineOf(settings.pipeline).acknowledges === 'packets';
  const hasBuffer = 'sendBuffer' in settings && settings.sendBuffer !== null;
  const waitNs = hasBuffer ? bufferWaitNs(alone, path) : 0;
  // a server that is held back by a small send buffer in the middle of a response seems to pace its packets
  const bufferNs = hasBuffer ? of(['pacing']) + waitNs : 0;
  return [
    ...changed('dns', 'the addresses are known', {causes: ['dns']}, ['dnsMs', 0]),
    ...(isQuic
      ? changed('set-up', 'the handshake costs no round trip (0-RTT)', {causes: ['set-up']}, ['panes.0.visit', 'again'])
      : freeSetUp(alone, trace, path)),
    ...(hasTls ? changed('tls', 'there is no TLS', {causes: ['tls']}, ['panes.0.tls', false]) : []),
    ...changed('server', 'the server does not think', {causes: ['server'], attributedNs: of(['server']) - waitNs}, [
      'serverThinkMs',
      0,
    ]),
    ...unlimitedWindow(alone, isQuic, {
      causes: bufferNs > 0 ? [...WINDOW_CAUSES, ...BUFFER_CAUSES] : WINDOW_CAUSES,
      attributedNs: of(WINDOW_CAUSES) + bufferNs,
    }),
    ...changed('send-buffer', 'the send buffer holds the whole page', {causes: BUFFER_CAUSES, attributedNs: bufferNs}, [
      'panes.0.sendBuffer',
      null,
    ]),
    ...objectsFirst(alone, path, of(['other-bytes'])),
    ...changed('other-traffic', 'there is no other traffic', {causes: ['other-traffic']}, ['path.traffic', null]),
    ...lostPacket(alone, trace, path),
    ...changed(
      'no-loss',
      'no packet is lost outside of queues',
      {causes: ['recovery-window', 'recovery-ack', 'recovery-probe', 'recovery-timeout', 'blocking']},
      ['path.loss', 0],
      ['panes.0.drop', null],
    ),
    ...withoutPolicer(alone, trace, path),
    // paths change at the same times, but no connection ends or migrates
    ...changed(
      'hand-over',
      'the client keeps its address',
      {causes: ['hand-over']},
      ...inChanges(alone, 'handover', false),
    ),
  ];
}

/** The handshake of the transport takes no time, and loses no packets. */
function freeSetUp(scenario: Scenario, trace: Trace, path: Path): readonly Intervention[] {
  const {kind} = trace.data.packets;
  const isOfSetUp = ({cause, packet}: PathSpan): boolean =>
    cause === 'set-up' || (packet !== undefined && kind[packet] === PACKET_KIND.setUp);
  const {attributedNs, causes} = shareOf(path, isOfSetUp);
  if (attributedNs === 0) return [];
  const label = 'the handshake of the transport takes no time';
  return [{name: 'set-up', label, causes, attributedNs, scenario, assumption: 'free-set-up'}];
}

/** The windows do not limit the load, and the send buffer does not, either. */
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

const WINDOW_CAUSES: readonly CauseName[] = ['slow-start', 'window', 'recovery-window'];
const BUFFER_CAUSES: readonly CauseName[] = ['server', 'pacing'];

/**
 * The time in which the server waited for room in a small send buffer before a response, ns. While the buffer has no room
 * for a response, the server seems to think. The time that it really thinks does not count.
 */
function bufferWaitNs(scenario: Scenario, path: Path): number {
  const thinkNs = scenario.serverThinkMs * 1e6;
  return [...objectsOnPath(path)].reduce((sum, own) => {
    const {attributedNs} = shareOf(path, ({cause, object}) => cause === 'server' && object === own);
    return sum + Math.max(0, attributedNs - thinkNs);
  }, 0);
}

/**
 * The path has no policer. Attributed is the time for which the packets that it dropped are responsible. They also
 * reduced the window, so the time of the reduced window counts in proportion to their share of all dropped packets.
 */
function withoutPolicer(scenario: Scenario, trace: Trace, path: Path): readonly Intervention[] {
  const {fate} = trace.data.packets;
  const isPoliced = (packet: number | undefined): boolean => packet !== undefined && fate[packet] === FATE.policed;
  const dropped = trace.droppedPackets();
  const policed = dropped.filter(isPoliced);
  if (policed.length === 0) return [];
  const own = shareOf(path, ({packet}) => isPoliced(packet));
  const reduced = shareOf(path, ({cause}) => cause === 'recovery-window' || cause === 'window');
  const attributedNs = own.attributedNs + Math.round((reduced.attributedNs * policed.length) / dropped.length);
  if (attributedNs === 0) return [];
  const without = changedScenario(scenario, [['path.policer', null], ...inChanges(scenario, 'policer', null)]);
  const label = 'the path has no policer';
  const causes = [...own.causes, ...reduced.causes];
  return without === undefined ? [] : [{name: 'policer', label, causes, attributedNs, scenario: without}];
}

type Share = Pick<Intervention, 'causes' | 'attributedNs'>;

/** The time of some spans of a path, and their causes. */
function shareOf(path: Path, isCounted: (span: PathSpan) => boolean): Share {
  const counted = path.filter(isCounted);
  const attributedNs = counted.reduce((sum, {fromNs, untilNs}) => sum + untilNs - fromNs, 0);
  return {attributedNs, causes: [...new Set(counted.map(({cause}) => cause))]};
}

type KeyValue = readonly [key: string, value: Json];

/** Another value of a key of the path for each change of the path that sets this key. */
function inChanges({changes}: Scenario, key: 'policer' | 'handover', value: Json): readonly KeyValue[] {
  return changes.flatMap(({path}, i) =>
    path[key] === undefined ? [] : [[`changes.${i}.path.${key}`, value] as const],
  );
}

/** The scenario with other values of keys; undefined if it is not valid, or if nothing changes. */
function changedScenario(scenario: Scenario, keys: readonly KeyValue[]): Scenario | undefined {
  const before: Json = scenarioDocument(scenario);
  const document = keys.reduce<Json>((each, [key, value]) => setKey(each, key, value), before);
  const parsed = parseScenario(document);
  if (!parsed.ok || JSON.stringify(scenarioDocument(parsed.scenario)) === JSON.stringify(before)) return undefined;
  return parsed.scenario;
}

/** All objects that the path does not go through have no bytes, as if those on the path always came first. */
function objectsFirst(scenario: Scenario, path: Path, attributedNs: number): readonly Intervention[] {
  if (attributedNs === 0) return [];
  const label = 'the objects of the path come before all others';
  const causes = ['other-bytes'] as const;
  return [{name: 'objects-first', label, causes, attributedNs, scenario, onlyObjects: objectsOnPath(path)}];
}

/** The lost packet with the most time on the path arrives. The packet must be one that the path lost. */
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

/** For example `there is no TLS: 0.70 s saved, 0.70 s attributed`. */
export function savedText({label, attributedNs, savedNs}: Intervened): string {
  const saved =
    savedNs === null
      ? 'the moment is never reached'
      : `${durationText(Math.abs(savedNs))} ${savedNs < 0 ? 'lost' : 'saved'}`;
  return `${label}: ${savedNs === 0 ? 'nothing saved' : saved}, ${durationText(attributedNs)} attributed`;
}
