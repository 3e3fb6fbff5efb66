import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {gapsText} from '../../app/run/link/packedTrace.ts';
import {Emulator, type LinkParams} from './index.js';

/** What mm-link logged: each packet with its time in ms and its size, which contains the 4 bytes of its TUN header. */
interface Log {
  readonly opportunitiesMs: readonly number[];
  readonly arrivals: readonly (readonly [atMs: number, bytes: number])[];
  readonly departures: readonly (readonly [atMs: number, bytes: number])[];
}

const log = JSON.parse(readFileSync(new URL('../../fixtures/reference/mm-link.json', import.meta.url), 'utf8')) as Log;
const TUN_HEADER_BYTES = 4;

function departures({opportunitiesMs, arrivals}: Log): readonly (readonly [atMs: number, bytes: number])[] {
  const opportunities = gapsText(Uint32Array.from(opportunitiesMs));
  const link: LinkParams = {
    rateBps: 1,
    delayNs: 0,
    loss: {model: 'none'},
    queuePackets: 1_000_000,
    trace: {opportunities, startNs: 0, repeats: true},
  };
  const path = new Emulator({seed: 1, path: {down: link, up: link, mtuBytes: 65_535}});
  for (const [number, [atMs, bytes]] of arrivals.entries()) {
    path.handlePacket('up', bytes - TUN_HEADER_BYTES, true, number, atMs * 1e6, 0, 0);
  }
  const rows = path.pollTransmit(1e15);
  return Array.from({length: rows.length / 3}, (_, row) => {
    return [(rows[3 * row + 1] ?? 0) / 1e6, arrivals[rows[3 * row] ?? 0]?.[1] ?? 0] as const;
  });
}

test('the link delivers the packets that mm-link delivered on the same trace, each in the same millisecond', () => {
  expect(log.departures.length).toBeGreaterThan(500);
  expect(departures(log)).toEqual(log.departures);
});

test('the comparison sees an opportunity that is one millisecond late', () => {
  const opportunitiesMs = log.opportunitiesMs.map((atMs, k) => (k === 9 ? atMs + 1 : atMs));
  expect(departures({...log, opportunitiesMs})).not.toEqual(log.departures);
});
