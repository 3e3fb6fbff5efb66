import {queueAt, queuesOf} from '../../../app/run/trace/queue.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';

/** For example `up: 43 packets (this load 2, upload 41), 61.2 KB; the last of them waits 512 ms`. */
export function queueText(trace: Trace, way: 'down' | 'up', tNs: number): string {
  const queue = queuesOf(trace)?.[way];
  if (queue === undefined) return '';
  const {packets, bytes, waitNs} = queueAt(queue, tNs);
  const [all, allBytes] = [sum(packets), sum(bytes)];
  if (all === 0) return `${way}: the queue is empty`;
  const parts = packets.flatMap((count, group) => (count === 0 ? [] : [`${queue.groups[group]} ${count}`]));
  const of = queue.groups.length > 1 ? ` (${parts.join(', ')})` : '';
  const waits = waitNs === Number.POSITIVE_INFINITY ? '' : `; the last of them waits ${waitText(waitNs)}`;
  return `${way}: ${packetsText(all)}${of}, ${(allBytes / 1000).toFixed(1)} KB${waits}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

export function packetsText(packets: number): string {
  return `${packets} packet${packets === 1 ? '' : 's'}`;
}

export function waitText(ns: number): string {
  const ms = ns / 1e6;
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}
