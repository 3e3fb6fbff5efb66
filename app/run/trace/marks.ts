import {DIRECTION} from './columns.ts';
import type {Trace} from './trace.ts';
import {momentText, objectName} from './traceTexts.ts';

/**
 * Returns the time at which a marked packet left the queue, which is when the queue marked it, in ns. If the trace does
 * not contain this time, returns the time at which the packet was delivered or dropped.
 */
export function markedNs({data: {packets}}: Trace, packet: number): number {
  const leftNs = packets.leftNs[packet] ?? Number.NaN;
  return Number.isNaN(leftNs) ? (packets.fateNs[packet] ?? 0) : leftNs;
}

/**
 * Explains a mark to an audience: `At 1.204 s the queue marked a packet from the server with data of lake.jpg to signal
 * congestion (ECN). Nothing was lost; the browser reports the mark, so that the server reduces its rate.`
 */
export function markSentence(trace: Trace, packet: number): string {
  const isDown = trace.data.packets.direction[packet] === DIRECTION.down;
  const [from, to] = isDown ? ['server', 'browser'] : ['browser', 'server'];
  const names = [...new Set(trace.objectsOf(packet).map(({object}) => objectName(trace, object)))];
  const what = names.length === 0 ? '' : ` with data of ${names.join(', ')}`;
  return (
    `At ${momentText(markedNs(trace, packet))} the queue marked a packet from the ${from}${what} to signal congestion ` +
    `(ECN). Nothing was lost; the ${to} reports the mark, so that the ${from} reduces its rate.`
  );
}
