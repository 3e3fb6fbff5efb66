import {DIRECTION} from './columns.ts';
import type {Trace} from './trace.ts';
import {momentText, objectName} from './traceTexts.ts';

/**
 * Returns the time that is shown for the mark of a packet: when the packet left the queue, in ns. The trace does not
 * say when exactly the queue marked it. Most queues mark a packet when its serialisation begins, and PIE marks it when
 * it enters the queue. If the trace does not say when the packet left, returns the time at which it was delivered or
 * dropped.
 */
export function markedNs({data: {packets}}: Trace, packet: number): number {
  const leftNs = packets.leftNs[packet] ?? Number.NaN;
  return Number.isNaN(leftNs) ? (packets.fateNs[packet] ?? 0) : leftNs;
}

/**
 * Explains a mark to an audience: `By 1.20 s the queue had marked a packet from the server with data of lake.jpg to
 * signal congestion (ECN). Nothing was lost; the browser reports the mark, so that the server reduces its rate.`
 */
export function markSentence(trace: Trace, packet: number): string {
  const isDown = trace.data.packets.direction[packet] === DIRECTION.down;
  const [from, to] = isDown ? ['server', 'browser'] : ['browser', 'server'];
  const names = [...new Set(trace.objectsOf(packet).map(({object}) => objectName(trace, object)))];
  const what = names.length === 0 ? '' : ` with data of ${names.join(', ')}`;
  return (
    `By ${momentText(markedNs(trace, packet))} the queue had marked a packet from the ${from}${what} to signal ` +
    `congestion (ECN). Nothing was lost; the ${to} reports the mark, so that the ${from} reduces its rate.`
  );
}
