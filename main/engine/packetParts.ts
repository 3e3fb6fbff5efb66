import type {ConvertedPage} from '../../app/page/page.ts';
import {capturedPackets} from '../../app/run/packets/captureFile.ts';
import {decodePacket} from '../../app/run/packets/decodePacket.ts';
import type {Part} from '../../app/run/packets/part.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {capture} from './load.ts';

/**
 * Decodes one packet of a pane: `row` is its row in the run's trace. The run is simulated again for its bytes, because
 * a trace has none. Undefined if there is no such row.
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
