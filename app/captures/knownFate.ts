import type {CapturedPacket} from './capturedLoad.ts';
import type {RecordedPacket} from './recordedPacket.ts';

/** The fate of a packet, as a capture of this program states it. */
export type KnownFate = Pick<CapturedPacket, 'fate' | 'dropped'>;

/**
 * Reads the fate of a packet. This program's captures state it: their interfaces have fixed names, and packets that did
 * not arrive have a comment (`capture.rs`). Undefined for captures of other programs.
 */
export function knownFate({interface: name, comment}: RecordedPacket): KnownFate | undefined {
  if (name !== DOWN && name !== UP) return undefined;
  if (comment === IN_FLIGHT) return {fate: null};
  const dropped = DROPPED.get(comment);
  return dropped === undefined ? {fate: 'delivered'} : {fate: 'lost', dropped};
}

/** When a packet arrived, as a capture of this program states it. */
export interface KnownArrival {
  /** When the packet itself arrived, and not a copy that the path made. */
  readonly atNs: number;
  /** When the packet or its copy arrived, whichever was earlier. From this time on, the receiver has the data. */
  readonly firstNs: number;
}

/**
 * Returns when a packet arrived. The time is in the comment that this program writes on packets that nothing
 * acknowledges. Undefined if another program recorded the packet, if the packet did not arrive, or if the capture does
 * not say when it arrived.
 */
export function knownArrival(packet: RecordedPacket): KnownArrival | undefined {
  const [, after, copyAfter] = ARRIVED.exec(packet.comment) ?? [];
  if (after === undefined || knownFate(packet)?.fate !== 'delivered') return undefined;
  const atNs = packet.atNs + Number(after);
  return {atNs, firstNs: Math.min(atNs, packet.atNs + Number(copyAfter ?? after))};
}

/** A time in a comment has at most 15 digits, which are 11 days. */
const ARRIVED = /^arrived (\d{1,15}) ns after it was sent(?:, its copy after (\d{1,15}) ns)?$/;
const DOWN = 'down (server to client)';
const UP = 'up (client to server)';
const IN_FLIGHT = 'on its way when the run ended';
const DROPPED: ReadonlyMap<string, CapturedPacket['dropped'] & string> = new Map([
  ['dropped: lost on the path', 'lost'],
  ['dropped: the queue was full', 'queueFull'],
  ['dropped: by the queue, to signal congestion', 'early'],
  ['dropped: by the policer of the link', 'policed'],
  ['dropped: the client had left the path', 'handedOver'],
]);
