import type {Page} from '../../app/page/page.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import {capture} from './load.ts';

/**
 * The bytes of one packet of a pane, from its IP header on: the row that the run's trace has it in. Computed anew: a
 * trace has no bytes. Undefined if there is no such row.
 *
 * @throws RangeError if there is no such pane
 */
export function packetBytes(
  page: Page,
  scenario: Scenario,
  pane: number,
  row: number,
): Uint8Array | undefined {
  const file = capture(page, scenario, scenario.seed, pane);
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let packets = 0;
  // a capture has the packets in the order of their rows
  for (let at = 0; at < file.length; at += view.getUint32(at + BLOCK_LENGTH_AT, true)) {
    if (view.getUint32(at, true) !== ENHANCED_PACKET) continue;
    if (packets === row) {
      const start = at + PACKET_AT;
      // a copy: the file is let go
      return file.slice(start, start + view.getUint32(at + CAPTURED_LENGTH_AT, true));
    }
    packets += 1;
  }
  return undefined;
}

// draft-ietf-opsawg-pcapng §4.3, little-endian as it is written
const ENHANCED_PACKET = 6;
const BLOCK_LENGTH_AT = 4;
const CAPTURED_LENGTH_AT = 20;
const PACKET_AT = 28;
