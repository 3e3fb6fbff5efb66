import {rowsOf} from '../../base/order.ts';
import {DIRECTION, ECN, FATE} from '../trace/columns.ts';
import type {Trace} from '../trace/trace.ts';
import {durationText, momentText, objectName} from '../trace/traceTexts.ts';
import type {Field} from './part.ts';

/** Returns what the trace contains about a packet in addition to its bytes. Empty if the trace has no such row. */
export function fateFields(trace: Trace, packet: number): readonly Field[] {
  const {packets} = trace.data;
  const sentNs = packets.sentNs[packet];
  if (sentNs === undefined) return [];
  const from = packets.direction[packet] === DIRECTION.down ? 'the server' : 'the browser';
  const carried = trace.objectsOf(packet).map(({object, bytes}) => `${objectName(trace, object)} ${bytes} B`);
  return [
    {name: 'sent', text: `at ${momentText(sentNs, DIGITS)} by ${from}${connectionText(trace, packet)}`},
    {name: 'size', text: `${packets.bytes[packet]} B with its IP header`},
    {name: 'fate', text: fateText(trace, packet)},
    ...ecnFields(trace, packet),
    ...(carried.length === 0 ? [] : [{name: 'carries', text: carried.join(', ')}]),
    ...againFields(trace, packet),
  ];
}

function fateText({data: {packets, endNs}}: Trace, packet: number): string {
  const [sentNs = 0, fateNs = 0] = [packets.sentNs[packet], packets.fateNs[packet]];
  const fate = packets.fate[packet];
  const arrivalText = `${momentText(fateNs, DIGITS)}, after ${durationText(fateNs - sentNs)}`;
  // In a computed load, the fate of a packet is known as soon as the link has sent the packet. The time of the fate can
  // then be later than the end of the run.
  if (sentNs <= endNs && fateNs > endNs)
    return fate === FATE.delivered ? `${ON_ITS_WAY}, due at ${arrivalText}` : ON_ITS_WAY;
  switch (fate) {
    case FATE.delivered:
      return `delivered at ${arrivalText}`;
    case FATE.lost:
      return fateNs > sentNs
        ? `lost behind the link at ${momentText(fateNs, DIGITS)}: the path dropped it`
        : 'lost: the path dropped it';
    case FATE.queueFull:
      return 'dropped: the queue before the link was full';
    case FATE.early:
      return fateNs > sentNs
        ? `dropped at ${momentText(fateNs, DIGITS)}: the queue signalled congestion`
        : 'dropped: the queue signalled congestion';
    case FATE.policed:
      return 'dropped: the policer of the link had no tokens left';
    case FATE.handedOver:
      return fateNs > sentNs
        ? `lost at ${momentText(fateNs, DIGITS)}: the client left the path`
        : 'lost: the client had left the path before';
    default:
      return ON_ITS_WAY;
  }
}

const ON_ITS_WAY = 'still on its way when the run ended';

/** Returns a field about ECN if the packet uses it, and a field about the packet's copy if the link made one. */
function ecnFields({data: {packets, endNs}}: Trace, packet: number): readonly Field[] {
  const [ecn = 0, copyNs = Number.NaN] = [packets.ecn[packet], packets.copyNs[packet]];
  const mark = packets.marked[packet] === 1 ? ', marked by the queue (CE)' : '';
  return [
    ...(ecn === ECN.notEct ? [] : [{name: 'ECN', text: `sent as ${ECN_NAMES[ecn]}${mark}`}]),
    ...(Number.isNaN(copyNs)
      ? []
      : [{name: 'copy', text: `${copyNs > endNs ? 'due' : 'delivered'} at ${momentText(copyNs, DIGITS)}, too`}]),
  ];
}

/** The index is the codepoint. */
const ECN_NAMES = ['Not-ECT', 'ECT(1)', 'ECT(0)', 'CE'];

/** Names the connection if the pane has several. */
function connectionText({data: {connections, packets}}: Trace, packet: number): string {
  if (connections.length < 2) return '';
  const endpoint = packets.endpoint[packet];
  const connection = connections.findIndex(({client, server}) => client === endpoint || server === endpoint);
  return connection < 0 ? '' : `, connection ${connection + 1}`;
}

/** Returns a field that says whether the packet's data was sent before. Empty for a packet without data. */
function againFields({data: {chunks}}: Trace, packet: number): readonly Field[] {
  const rows = rowsOf(chunks.packet, packet);
  if (rows.length === 0) return [];
  const again = rows.filter(row => chunks.retransmission[row] === 1).length;
  const how = again === rows.length ? 'yes' : `${again} of ${rows.length} chunks`;
  return [{name: 'sent before', text: again === 0 ? 'no' : how}];
}

/**
 * The number of decimals of times in seconds. Packets follow each other so closely that differences of 0.1 ms must be
 * visible.
 */
const DIGITS = 4;
