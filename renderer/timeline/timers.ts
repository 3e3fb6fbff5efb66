import {durationText, secondsText} from '../../app/trace/words.ts';
import {rowAt, type Sender} from './senders.ts';

/** A timer that fired for want of an acknowledgement. */
export interface Firing {
  readonly sender: Sender;
  readonly kind: 'timeout' | 'probe';
  readonly atNs: number;
  /** The RTO that ran out, or ran on beside a probe, and the one that follows. */
  readonly rtoNs: number;
  readonly nextRtoNs: number;
  /** The sender's first of its kind is 1. */
  readonly count: number;
}

/** All that fired of a sender's, in order of time. */
export function firingsOf(sender: Sender): readonly Firing[] {
  const {atNs, rtoNs, timeouts, probes} = sender.trace.data.samples;
  return sender.rows.flatMap((row, i) => {
    const before = sender.rows[i - 1];
    const was = (column: Uint32Array): number => (before === undefined ? 0 : (column[before] ?? 0));
    const own = {
      ...{sender, atNs: atNs[row] ?? 0, nextRtoNs: rtoNs[row] ?? 0},
      rtoNs: rtoNs[before ?? row] ?? 0,
    };
    return [
      ...((timeouts[row] ?? 0) > was(timeouts)
        ? [{...own, kind: 'timeout' as const, count: timeouts[row] ?? 0}]
        : []),
      ...((probes[row] ?? 0) > was(probes)
        ? [{...own, kind: 'probe' as const, count: probes[row] ?? 0}]
        : []),
    ];
  });
}

/** `SRTT 352 ms, RTO 1.20 s` at t, ns; the first only once something was measured. */
export function senderText(sender: Sender, tNs: number): string {
  const {srttNs, rtoNs} = sender.trace.data.samples;
  const row = rowAt(sender, tNs);
  const [srtt, rto] = [srttNs[row] ?? 0, rtoNs[row] ?? 0];
  return `${srtt === 0 ? 'no RTT measured yet' : `SRTT ${durationText(srtt)}`}, RTO ${durationText(rto)}`;
}

/** What fired, where and when, and what it made of the RTO. */
export function firingText({sender, kind, atNs, rtoNs, nextRtoNs, count}: Firing): string {
  const who = sender.side === 'server' ? 'the server’s' : 'the browser’s';
  const what = kind === 'timeout' ? 'retransmission timeout' : 'tail loss probe';
  const after =
    nextRtoNs === rtoNs
      ? `RTO ${durationText(rtoNs)}`
      : `RTO ${durationText(rtoNs)} → ${durationText(nextRtoNs)}`;
  return `${who} ${what} ${count}, at ${secondsText(atNs)}: ${after}`;
}
