import type {Json} from '../../base/json.ts';
import {pipelineOf} from '../../pipelines/index.ts';
import {packetEdit} from '../cause/dropPacket.ts';
import {isComputedPath} from '../scenario/capturedPath.ts';
import {scenarioDocument} from '../scenario/document.ts';
import {setKey} from '../scenario/override.ts';
import {parseScenario, type Scenario} from '../scenario/scenario.ts';
import type {Trace} from '../trace/trace.ts';
import {durationText} from '../trace/traceTexts.ts';
import type {CauseName} from './causeKinds.ts';
import {causeTotals, nsOf} from './causeTotals.ts';
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
  /** The time of these causes on the critical path. For `lost-packet`, only the time for which this packet is responsible. */
  readonly attributedNs: number;
  /** The scenario without the causes. Its only pane is the pane that is explained. */
  readonly scenario: Scenario;
  /** If set, the bodies of all other objects are empty ({@link Intervention.name} `objects-first`). */
  readonly onlyObjects?: ReadonlySet<number>;
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
  | 'objects-first'
  | 'other-traffic'
  | 'lost-packet'
  | 'no-loss'
  | 'hand-over';

/**
 * Returns the ways to take away causes of a pane's critical path, in the order of causes. There are none for panes that
 * share their path, because the others would change, too. Causes that no setting can take away are not among them:
 * propagation, the link's time for the object's own bytes, and the set-up of TCP and SCTP.
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
    causes: readonly CauseName[],
    ...keys: readonly (readonly [key: string, value: Json])[]
  ): readonly Intervention[] => {
    const attributedNs = of(causes);
    const without = attributedNs > 0 ? changedScenario(alone, keys) : undefined;
    return without === undefined ? [] : [{name, label, causes, attributedNs, scenario: without}];
  };
  const hasTls = 'tls' in settings && settings.tls === true;
  const isQuic = pipelineOf(settings.pipeline).acknowledges === 'packets';
  return [
    ...changed('dns', 'the addresses are known', ['dns'], ['dnsMs', 0]),
    ...(isQuic
      ? changed('set-up', 'the handshake costs no round trip (0-RTT)', ['set-up'], ['panes.0.visit', 'again'])
      : []),
    ...(hasTls ? changed('tls', 'there is no TLS', ['tls'], ['panes.0.tls', false]) : []),
    ...changed('server', 'the server does not think', ['server'], ['serverThinkMs', 0]),
    ...(isQuic
      ? changed('window', 'the first window has 1000 packets', ['slow-start'], ['panes.0.firstWindowPackets', 1000])
      : []),
    ...objectsFirst(alone, path, of(['other-bytes'])),
    ...changed('other-traffic', 'there is no other traffic', ['other-traffic'], ['path.traffic', null]),
    ...lostPacket(alone, trace, path),
    ...changed(
      'no-loss',
      'no packet is lost outside of queues',
      ['recovery-window', 'recovery-ack', 'recovery-probe', 'recovery-timeout', 'blocking'],
      ['path.loss', 0],
      ['panes.0.drop', null],
    ),
    ...changed('hand-over', 'the client keeps its address', ['hand-over'], ...keptAddress(alone)),
  ];
}

/** Keys that keep the client's address: paths change at the same times, but no connection ends or migrates. */
function keptAddress({changes}: Scenario): readonly (readonly [key: string, value: Json])[] {
  return changes.flatMap(({path}, i) =>
    path.handover === undefined ? [] : [[`changes.${i}.path.handover`, false] as const],
  );
}

/** The scenario with other values of keys; undefined if it is not valid, or if nothing changes. */
function changedScenario(
  scenario: Scenario,
  keys: readonly (readonly [key: string, value: Json])[],
): Scenario | undefined {
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
  const [packet, attributedNs] = most;
  const edit = packetEdit(scenario, [trace], {pane: 0, packet});
  if (!edit.ok || edit.isDrop) return [];
  const without = changedScenario(scenario, [[edit.key, edit.value]]);
  if (without === undefined) return [];
  const causes = new Set(path.filter(span => span.packet === packet).map(({cause}) => cause));
  const label = `${edit.packet} arrives`;
  return [{name: 'lost-packet', label, causes: [...causes], attributedNs, scenario: without}];
}

/** For example `there is no TLS: 0.70 s saved, 0.70 s attributed`. */
export function savedText({label, attributedNs, savedNs}: Intervened): string {
  const saved =
    savedNs === null
      ? 'the moment is never reached'
      : `${durationText(Math.abs(savedNs))} ${savedNs < 0 ? 'lost' : 'saved'}`;
  return `${label}: ${savedNs === 0 ? 'nothing saved' : saved}, ${durationText(attributedNs)} attributed`;
}
