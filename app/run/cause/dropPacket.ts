import type {Json} from '../../base/json.ts';
import {joined} from '../../base/text.ts';
import type {DropList} from '../../pipelines/drops.ts';
import type {Pane} from '../../pipelines/index.ts';
import {titleNames} from '../../pipelines/paneLabels.ts';
import type {PanePacket} from '../packets/panePacket.ts';
import {lossDocument} from '../scenario/document.ts';
import {livePathOf} from '../scenario/livePath.ts';
import {type Loss, neverLoses} from '../scenario/lossModel.ts';
import {MOST_DROPPED} from '../scenario/paneDrops.ts';
import type {BothWays} from '../scenario/path.ts';
import type {Scenario} from '../scenario/scenario.ts';
import {DIRECTION, FATE, PACKET_KIND} from '../trace/columns.ts';
import type {Trace} from '../trace/trace.ts';
import {isDropped} from '../trace/traceIndex.ts';

/** A what-if about one packet of a run: an edit of the scenario after which the packet is lost, or is delivered. */
export type PacketEdit =
  | {
      readonly ok: true;
      /** True if the packet is lost after the edit. False if it was lost before, and is delivered after the edit. */
      readonly isDrop: boolean;
      /** `every`: the edit is about the packet with this number in every pane. `this`: it is about one pane alone. */
      readonly sides: 'every' | 'this';
      /** The packet with its number, in words: `data packet 40 from the server`. */
      readonly packet: string;
      /** Sentences about other sides and about what else the edit changes; empty if there is nothing to say. */
      readonly note: string;
      /** The key of the scenario that the edit sets, and the value. */
      readonly key: string;
      readonly value: Json;
    }
  | {readonly ok: false; readonly message: string};

/**
 * Returns the edit that drops a packet in all panes, or that delivers the packet if the loss model dropped it. The path
 * then loses exactly the packets of a list ({@link Loss}). If the losses were random, the list also has the packets
 * that this run lost. If the loss model loses nothing and this packet has data, the list counts only packets with data,
 * so that each pane loses data. If only this pane dropped the packet, the edit is that of {@link ownPacketEdit}.
 */
export function packetEdit(scenario: Scenario, traces: readonly Trace[], at: PanePacket): PacketEdit {
  const chosen = choose(scenario, traces, at);
  if (!chosen.ok) return chosen;
  const {trace, pane, packet, way, fate, own} = chosen;
  if (scenario.changes.some(({path}) => path.loss[way] !== undefined))
    return refused('the loss of this path changes during the run: remove these changes to drop single packets');
  const loss = countedBy(scenario.path.loss[way], trace, packet);
  const number = countedRows(trace, way, loss).indexOf(packet);
  const isOnList = loss.model === 'list' && loss.packets.includes(number);
  if (fate === FATE.lost && !isOnList && isIn(own, trace, way, packet, loss))
    return ownPacketEdit(scenario, traces, at);
  if (number < 0) return refused('on this path only packets with data can be lost, and this packet has no data');
  const isDrop = fate !== FATE.lost;
  const before = lostNumbers(traces, scenario.panes, way, loss);
  const lost = isDrop ? [...before, number] : before.filter(each => each !== number);
  if (lost.length > MOST_LISTED)
    return refused(`this run loses ${before.length} packets: a list can have at most ${MOST_LISTED}`);
  const others = isDrop ? othersNote(scenario, traces, {pane, packet, way, number, loss}) : '';
  const isRandom = loss.model !== 'list' && before.length > 0;
  return {
    ok: true,
    isDrop,
    sides: 'every',
    packet: packetText(loss.applies, number, way),
    note: [others, isRandom ? RANDOM_NOTE : ''].filter(text => text !== '').join(' '),
    key: `path.loss.${way}`,
    value: listDocument(lost, loss),
  };
}

/**
 * Returns the edit that drops a packet in its own pane alone (`Pane.drop`), or that delivers the packet if only this
 * pane dropped it. The losses of the path stay the same. If the pane already has a list for this direction, the packet
 * is counted as that list counts. Otherwise, a packet with data is counted among the packets with data.
 */
export function ownPacketEdit(scenario: Scenario, traces: readonly Trace[], at: PanePacket): PacketEdit {
  const chosen = choose(scenario, traces, at);
  if (!chosen.ok) return chosen;
  const {trace, pane, packet, way, fate, own, hasData} = chosen;
  const {at: place} = scenario.path.loss[way];
  if (scenario.changes.some(({path}) => path.loss[way] !== undefined && path.loss[way].at !== place))
    return refused('the place where this path loses packets changes during the run, so its packets cannot be counted');
  const list = own?.[way];
  const applies = list === undefined ? (hasData ? 'data' : 'all') : (list.applies ?? 'all');
  const number = countedRows(trace, way, placed(applies, place)).indexOf(packet);
  if (number < 0) return refused('the list of this side counts only packets with data, and this packet has no data');
  const before = list?.packets ?? [];
  const isDrop = fate !== FATE.lost;
  if (!isDrop && !before.includes(number))
    return refused('the path loses this packet on every side, so that it cannot be delivered on this side only');
  const packets = isDrop ? [...before, number].sort((a, b) => a - b) : before.filter(each => each !== number);
  if (packets.length > MOST_DROPPED)
    return refused(`this side drops ${before.length} packets: a list can have at most ${MOST_DROPPED}`);
  const {[way]: _, ...otherWay} = own ?? {};
  const drop =
    packets.length === 0 ? otherWay : {...otherWay, [way]: {packets, ...(applies === 'data' ? {applies} : {})}};
  return {
    ok: true,
    isDrop,
    sides: 'this',
    packet: packetText(applies, number, way),
    note: '',
    key: `panes[${pane}].drop`,
    value: Object.keys(drop).length === 0 ? null : drop,
  };
}

/** Finds the packet, and refuses packets that no edit can drop or deliver. */
function choose(scenario: Scenario, traces: readonly Trace[], {pane, packet}: PanePacket) {
  const trace = traces[pane];
  const settings = scenario.panes[pane];
  const fate = trace?.data.packets.fate[packet];
  if (trace === undefined || settings === undefined || fate === undefined) return refused('there is no such packet');
  if (livePathOf(scenario, settings) !== undefined)
    return refused('packets of a live load cannot be dropped: only an emulated path can be computed again');
  if (scenario.path.captured !== undefined)
    return refused('packets of a captured load cannot be dropped: only an emulated path can be computed again');
  if (fate === FATE.queueFull)
    return refused('the full queue dropped this packet: only a longer queue or fewer packets can save it');
  if (fate === FATE.early)
    return refused(
      'the queue dropped this packet to signal congestion: only another queue or fewer packets can save it',
    );
  if (fate === FATE.policed)
    return refused('the policer dropped this packet: only a higher rate or fewer packets can save it');
  if (fate === FATE.handedOver)
    return refused(
      'this packet was lost because the client left the path: only a hand-over at another time can save it',
    );
  const way: Way = trace.data.packets.direction[packet] === DIRECTION.down ? 'down' : 'up';
  return {ok: true, trace, pane, packet, way, fate, own: settings.drop, hasData: hasData(trace, packet)} as const;
}

type Way = keyof BothWays<Loss>;

type Counting = Pick<Loss, 'applies' | 'at'>;

function placed(applies: Loss['applies'], at: Loss['at']): Counting {
  return {applies, ...(at === undefined ? {} : {at})};
}

/**
 * Returns the rows of a direction's packets in the order in which losses count them. If the loss applies to data, only
 * packets with data count. If packets are lost after the link, packets that something else dropped (the queue, the
 * policer or a hand-over) do not count.
 */
export function countedRows({data: {packets}}: Trace, way: Way, {applies, at}: Counting): readonly number[] {
  const rows: number[] = [];
  for (let row = 0; row < packets.kind.length; row++) {
    if (packets.direction[row] !== DIRECTION[way]) continue;
    if (applies === 'data' && packets.kind[row] !== PACKET_KIND.data) continue;
    if (at === 'exit' && isDropped(packets.fate[row]) && packets.fate[row] !== FATE.lost) continue;
    rows.push(row);
  }
  return rows;
}

function hasData({data: {packets}}: Trace, row: number): boolean {
  return packets.kind[row] === PACKET_KIND.data;
}

/** Whether a pane's own drops contain the packet. */
function isIn(own: Pane['drop'], trace: Trace, way: Way, packet: number, {at}: Counting): boolean {
  const list = own?.[way];
  if (list === undefined) return false;
  return list.packets.includes(countedRows(trace, way, ownCounting(list, at)).indexOf(packet));
}

function ownCounting({applies}: DropList, at: Loss['at']): Counting {
  return placed(applies ?? 'all', at);
}

/**
 * Returns the numbers of all packets of a direction that the loss model dropped in any pane. If the loss model is a
 * list, these are the numbers on the list.
 */
function lostNumbers(traces: readonly Trace[], panes: readonly Pane[], way: Way, loss: Loss): readonly number[] {
  if (loss.model === 'list') return loss.packets;
  const numbers = traces.flatMap((trace, pane) => {
    const rows = countedRows(trace, way, loss);
    const list = panes[pane]?.drop?.[way];
    const counted = list === undefined ? [] : countedRows(trace, way, ownCounting(list, loss.at));
    const own = new Set(list?.packets.map(number => counted[number]));
    return rows.flatMap((row, i) => (trace.data.packets.fate[row] === FATE.lost && !own.has(row) ? [i] : []));
  });
  return [...new Set(numbers)];
}

interface Dropped {
  readonly pane: number;
  readonly packet: number;
  readonly way: Way;
  readonly number: number;
  readonly loss: Counting;
}

/**
 * Says on which other sides the packet with this number is of another kind: it has data and this packet has none, or
 * the reverse. Also says which sides have no packet with this number. Empty if there are no such sides.
 */
function othersNote({panes}: Scenario, traces: readonly Trace[], {pane, packet, way, number, loss}: Dropped): string {
  const own = traces[pane];
  if (own === undefined) return '';
  const isData = hasData(own, packet);
  const names = titleNames(panes);
  const [missing, unlike]: [string[], string[]] = [[], []];
  for (const [i, trace] of traces.entries()) {
    const row = i === pane ? packet : countedRows(trace, way, loss)[number];
    if (row === undefined) missing.push(names[i] ?? '');
    else if (hasData(trace, row) !== isData) unlike.push(names[i] ?? '');
  }
  const other = isData ? 'no data' : 'data';
  return [
    unlike.length === 0
      ? ''
      : `This path also counts packets without data: packet ${number} of ${joined(unlike)} has ${other}.`,
    missing.length === 0
      ? ''
      : `${joined(missing)} ${missing.length === 1 ? 'sends' : 'send'} no packet with this number.`,
  ]
    .filter(text => text !== '')
    .join(' ');
}

function packetText(applies: Loss['applies'], number: number, way: Way): string {
  return `${applies === 'data' ? 'data packet' : 'packet'} ${number} from the ${way === 'down' ? 'server' : 'browser'}`;
}

/**
 * Returns the loss by whose rules the packet is counted. This is `loss` itself, unless `loss` never loses a packet and
 * this packet has data. In that case, only packets with data are counted.
 */
function countedBy(loss: Loss, trace: Trace, packet: number): Loss {
  return neverLoses(loss) && hasData(trace, packet) ? {...loss, applies: 'data'} : loss;
}

function listDocument(lost: readonly number[], {applies, at}: Counting): Json {
  const packets = [...lost].sort((a, b) => a - b);
  const place = at === 'exit' ? {at} : {};
  if (packets.length === 0) return lossDocument({model: 'bernoulli', rate: 0, applies: 'all', ...place});
  return lossDocument({model: 'list', packets, applies, ...place});
}

function refused(message: string) {
  return {ok: false, message} as const;
}

const RANDOM_NOTE = 'The losses of this run become a list. Packets that are not on the list are no longer lost.';

/** The largest number of packets in a list of a scenario. */
const MOST_LISTED = 100_000;
