import {durationText, secondsText} from '../../../app/run/trace/traceTexts.ts';
import {rowAt, type Sender} from './senders.ts';

/** A timer that fired because no acknowledgement came in time. */
export interface Firing {
  readonly sender: Sender;
  readonly kind: FiringKind;
  readonly atNs: number;
  /** The RTO (for QUIC the PTO) before the timer fired, ns; {@link nextRtoNs} if no earlier value is known. */
  readonly rtoNs: number;
  /** The RTO (for QUIC the PTO) after the timer fired, ns. */
  readonly nextRtoNs: number;
  /** How many timers of this kind have fired at this sender so far, including this one. */
  readonly count: number;
}

/**
 * A retransmission timeout (RFC 6298, RFC 9260 §6.3), TCP's tail loss probe (RFC 8985 §7), or QUIC's probe timeout (RFC
 * 9002 §6.2), after which the sender sends probes and doubles the timeout.
 */
export type FiringKind = 'timeout' | 'tail-loss-probe' | 'probe-timeout';

/** All timers of a sender that fired, in order of time. */
export function firingsOf(sender: Sender): readonly Firing[] {
  const {atNs, rtoNs, timeouts, probes} = sender.trace.data.samples;
  const probeKind: FiringKind = sender.trace.pipeline.timer === 'PTO' ? 'probe-timeout' : 'tail-loss-probe';
  return sender.rows.flatMap((row, i) => {
    const before = sender.rows[i - 1];
    const was = (column: Uint32Array): number => (before === undefined ? 0 : (column[before] ?? 0));
    const own = {sender, atNs: atNs[row] ?? 0, nextRtoNs: rtoNs[row] ?? 0, rtoNs: rtoNs[before ?? row] ?? 0};
    return [
      ...((timeouts[row] ?? 0) > was(timeouts) ? [{...own, kind: 'timeout' as const, count: timeouts[row] ?? 0}] : []),
      ...((probes[row] ?? 0) > was(probes) ? [{...own, kind: probeKind, count: probes[row] ?? 0}] : []),
    ];
  });
}

/** For example `SRTT 352 ms, RTO 1.20 s`, the values at t (ns). For QUIC it has PTO instead of RTO. */
export function senderText(sender: Sender, tNs: number): string {
  const {srttNs, rtoNs} = sender.trace.data.samples;
  const row = rowAt(sender, tNs);
  const [srtt, rto] = [srttNs[row] ?? 0, rtoNs[row] ?? 0];
  return `${srtt === 0 ? 'no RTT measured yet' : `SRTT ${durationText(srtt)}`}, ${sender.trace.pipeline.timer} ${durationText(rto)}`;
}

/** For example `the server’s retransmission timeout 1, at 2.35 s: RTO 1.20 s → 2.40 s`. */
export function firingText({sender, kind, atNs, rtoNs, nextRtoNs, count}: Firing): string {
  const who = sender.side === 'server' ? 'the server’s' : 'the browser’s';
  const {timer} = sender.trace.pipeline;
  const next = nextRtoNs === rtoNs ? '' : ` → ${durationText(nextRtoNs)}`;
  return `${who} ${KIND_TEXTS[kind]} ${count}, at ${secondsText(atNs)}: ${timer} ${durationText(rtoNs)}${next}`;
}

/** The names of the kinds, for use inside a sentence. */
export const KIND_TEXTS: {readonly [K in FiringKind]: string} = {
  timeout: 'retransmission timeout',
  'tail-loss-probe': 'tail loss probe',
  'probe-timeout': 'probe timeout',
};
