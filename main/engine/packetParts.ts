import {decodePacket} from '../../app/packets/decode.ts';
import type {Part} from '../../app/packets/part.ts';
import type {ConvertedPage} from '../../app/page/page.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import {capture} from './load.ts';

/**
 * What one packet of a pane says, by the row that the run's trace has it in. The run's bytes are computed anew: a trace
 * has none. Undefined if there is no such row.
 *
 * @throws RangeError if there is no such pane
 */
export function packetParts(
  page: ConvertedPage,
  scenario: Scenario,
  pane: number,
  row: number,
): readonly Part[] | undefined {
  const packets = capturedPackets(capture(page, scenario, scenario.seed, pane));
  return row < packets.length ? decodePacket(packets, row) : undefined;
}

/** Each from its IP header on, in the order of their rows; of the capture file's memory. */
export function capturedPackets(file: Uint8Array): readonly Uint8Array[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const packets: Uint8Array[] = [];
  for (let at = 0; at < file.length; at += view.getUint32(at + BLOCK_LENGTH_AT, true)) {
    if (view.getUint32(at, true) !== ENHANCED_PACKET) continue;
    const start = at + PACKET_AT;
    packets.push(file.subarray(start, start + view.getUint32(at + CAPTURED_LENGTH_AT, true)));
  }
  return packets;
}

// draft-ietf-opsawg-pcapng §4.3, little-endian as it is written
const ENHANCED_PACKET = 6;
const BLOCK_LENGTH_AT = 4;
const CAPTURED_LENGTH_AT = 20;
const PACKET_AT = 28;
