import type {CapturedPacket} from './capturedLoad.ts';
import type {RecordedPacket} from './recordedPacket.ts';

/** What became of a packet, as a capture of this program says it. */
export type KnownFate = Pick<CapturedPacket, 'fate' | 'dropped'>;

/**
 * Reads what became of a packet from the names and comments that this program writes into captures (`capture.rs`).
 * Undefined if another program recorded the packet.
 */
export function knownFate({interface: name, comment}: RecordedPacket): KnownFate | undefined {
  if (name !== DOWN && name !== UP) return undefined;
  if (comment === IN_FLIGHT) return {fate: null};
  const dropped = DROPPED.get(comment);
  return dropped === undefined ? {fate: 'delivered'} : {fate: 'lost', dropped};
}

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
