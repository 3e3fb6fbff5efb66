import type {Json} from '../../base/json.ts';
import type {PanePacket} from '../packets/panePacket.ts';
import {lossDocument} from '../scenario/document.ts';
import {livePathOf} from '../scenario/livePath.ts';
import type {Loss} from '../scenario/lossModel.ts';
import type {BothWays} from '../scenario/path.ts';
import type {Scenario} from '../scenario/scenario.ts';
import {DIRECTION, FATE, PACKET_KIND} from '../trace/columns.ts';
import type {Trace} from '../trace/trace.ts';

/** A what-if about one packet of a run: an edit of the scenario that loses the packet, or that delivers it. */
export type PacketEdit =
  | {
      readonly ok: true;
      /** Whether the edit loses the packet. Otherwise the packet was lost, and the edit delivers it. */
      readonly isDrop: boolean;
      /** The packet as the loss model counts it: `data packet 40 from the server`. */
      readonly packet: string;
      /** A sentence about what else the edit changes; empty if it changes nothing else. */
      readonly note: string;
      /** The key of the scenario that the edit sets, and the value. */
      readonly key: string;
      readonly value: Json;
    }
  | {readonly ok: false; readonly message: string};

/**
 * Returns the edit that drops a packet in all panes, or that delivers the packet if the loss model dropped it. The path
 * then loses exactly the packets of a list ({@link Loss}). If losses were random, those of this run are put on the list
 * too. If the direction lost nothing, the list counts packets with data, so that each pane loses data.
 */
export function packetEdit(scenario: Scenario, traces: readonly Trace[], {pane, packet}: PanePacket): PacketEdit {
  const trace = traces[pane];
  const settings = scenario.panes[pane];
  const fate = trace?.data.packets.fate[packet];
  if (trace === undefined || settings === undefined || fate === undefined) return refused('there is no such packet');
  if (livePathOf(scenario, settings) !== undefined)
    return refused('packets of a live load cannot be dropped: only an emulated path can be computed again');
  if (fate === FATE.queueFull)
    return refused('the full queue dropped this packet: only a longer queue or fewer packets can save it');
  const way = trace.data.packets.direction[packet] === DIRECTION.down ? 'down' : 'up';
  if (scenario.changes.some(({path}) => path.loss[way] !== undefined))
    return refused('the loss of this path changes during the run: remove these changes to drop single packets');
  const loss = countedBy(scenario.path.loss[way], trace, packet);
  const number = fateNumber(trace, packet, loss);
  if (number === null) return refused('on this path only packets with data can be lost, and this packet has no data');
  const isDrop = fate !== FATE.lost;
  const before = lostNumbers(traces, way, loss);
  const lost = isDrop ? [...before, number] : before.filter(each => each !== number);
  if (lost.length > MOST_LISTED)
    return refused(`this run loses ${before.length} packets: a list can have ${MOST_LISTED}`);
  return {
    ok: true,
    isDrop,
    packet: `${loss.applies === 'data' ? 'data packet' : 'packet'} ${number} from the ${way === 'down' ? 'server' : 'browser'}`,
    note: loss.model === 'list' || before.length === 0 ? '' : RANDOM_NOTE,
    key: `path.loss.${way}`,
    value: listDocument(lost, loss),
  };
}

/**
 * Returns the number of a packet among those of its direction for which the loss model decides a fate, from 0. Null if
 * the model decides nothing about this packet.
 */
function fateNumber({data: {packets}}: Trace, packet: number, loss: Counting): number | null {
  const hasFate = (row: number): boolean => {
    const isCounted = loss.applies === 'all' || packets.kind[row] === PACKET_KIND.data;
    // With loss after the link, the queue drops a packet before the model can decide.
    return isCounted && !(loss.at === 'exit' && packets.fate[row] === FATE.queueFull);
  };
  if (!hasFate(packet)) return null;
  let number = 0;
  for (let row = 0; row < packet; row++) {
    if (packets.direction[row] === packets.direction[packet] && hasFate(row)) number += 1;
  }
  return number;
}

type Counting = Pick<Loss, 'applies' | 'at'>;

/** The numbers of all packets of a direction that the loss model dropped in any pane. */
function lostNumbers(traces: readonly Trace[], way: keyof BothWays<Loss>, loss: Loss): readonly number[] {
  if (loss.model === 'list') return loss.packets;
  const numbers = traces.flatMap(trace => {
    const {direction, fate} = trace.data.packets;
    return trace
      .droppedPackets()
      .filter(row => direction[row] === DIRECTION[way] && fate[row] === FATE.lost)
      .flatMap(row => fateNumber(trace, row, loss) ?? []);
  });
  return [...new Set(numbers)];
}

/** The loss, which applies to packets with data if it loses nothing so far and this packet has data. */
function countedBy(loss: Loss, {data}: Trace, packet: number): Loss {
  const isFree = neverLoses(loss) && data.packets.kind[packet] === PACKET_KIND.data;
  return isFree ? {...loss, applies: 'data'} : loss;
}

function neverLoses(loss: Loss): boolean {
  switch (loss.model) {
    case 'list':
      return loss.packets.length === 0;
    case 'bernoulli':
      return loss.rate === 0;
    case 'gilbert-elliott':
      return loss.k === 1 && (loss.p === 0 || loss.h === 1);
  }
}

function listDocument(lost: readonly number[], {applies, at}: Counting): Json {
  const packets = [...lost].sort((a, b) => a - b);
  const place = at === 'exit' ? {at} : {};
  if (packets.length === 0) return lossDocument({model: 'bernoulli', rate: 0, applies: 'all', ...place});
  return lossDocument({model: 'list', packets, applies, ...place});
}

function refused(message: string): PacketEdit {
  return {ok: false, message};
}

const RANDOM_NOTE = 'The losses of this run become a list, and packets after it are not lost at random any more.';

/** The length of the longest list in a scenario. */
const MOST_LISTED = 100_000;
