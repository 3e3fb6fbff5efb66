import type {SeenAt} from './capturedLoad.ts';
import type {TcpFlow} from './tcpFlow.ts';

/** How long the steps of a handshake took where it was recorded. NaN if the capture does not have them. */
interface HandshakeGaps {
  /** From SYN to SYN/ACK. */
  readonly answerNs: number;
  /** From SYN/ACK to the client's acknowledgement. */
  readonly acknowledgementNs: number;
}

/**
 * Where the connections were recorded, and a sentence if the place is between both ends. `isOwn` says that this program
 * wrote the capture. It has each packet at its sender.
 */
export function vantageOf(
  flows: readonly TcpFlow[],
  isOwn: boolean,
): {readonly seenAt: SeenAt; readonly note: string | undefined} {
  if (isOwn) return {seenAt: 'both', note: undefined};
  let [answerNs, acknowledgementNs] = [0, 0];
  for (const flow of flows) {
    const gaps = handshakeGaps(flow);
    if (!(gaps.answerNs >= 0 && gaps.acknowledgementNs >= 0)) continue;
    answerNs += gaps.answerNs;
    acknowledgementNs += gaps.acknowledgementNs;
  }
  const [less, more] = [Math.min(answerNs, acknowledgementNs), Math.max(answerNs, acknowledgementNs)];
  const seenAt = answerNs >= acknowledgementNs ? 'client' : 'server';
  const isBetween = less > more / 4 && more > LEAST_RTT_NS;
  const note = `The capture was made between client and server. It is read as if it had been made at the ${seenAt}.`;
  return {seenAt, note: isBetween ? note : undefined};
}

/** Measures a handshake. A SYN that was repeated makes it useless, because it is unknown which one was answered. */
export function handshakeGaps({segments}: TcpFlow): HandshakeGaps {
  const syns = segments.filter(({segment}) => segment.isSyn);
  const [syn, answer] = syns;
  const at = answer === undefined ? -1 : segments.indexOf(answer);
  const ack = segments.find(({direction, segment}, i) => i > at && direction === 'up' && !segment.isSyn);
  if (syns.length !== 2 || syn?.direction !== 'up' || answer?.direction !== 'down' || ack === undefined)
    return {answerNs: Number.NaN, acknowledgementNs: Number.NaN};
  const atNs = (of: typeof ack): number => of.segment.ip.recorded.atNs;
  return {answerNs: atNs(answer) - atNs(syn), acknowledgementNs: atNs(ack) - atNs(answer)};
}

/** Round trips below this time do not show where a capture was made. */
const LEAST_RTT_NS = 1e6;
