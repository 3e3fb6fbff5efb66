import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import type {CapturedLoad, ReadCapture} from '../../app/captures/capturedLoad.ts';
import {captureTrace} from '../../app/captures/captureTrace.ts';
import {readKeyLog} from '../../app/captures/keyLog.ts';
import {readPacketCapture} from '../../app/captures/packetCapture.ts';
import type {RecordedPacket} from '../../app/captures/recordedPacket.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {traceProblem} from '../../app/run/trace/traceProblem.ts';
import {capture} from '../engine/load.ts';
import {openPage} from '../pages/openPage.ts';
import {type CaptureFile, readCaptureFile} from './captureFile.ts';
import {nodeCrypto} from './nodeCrypto.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const folder = `${fixtures}captures/tcp/`;

test('a damaged capture is read, or refused in one line', async () => {
  const names = ['curl-python.pcapng', 'curl-python-ipv6.pcap', 'openssl.pcap', 'chromium-nginx.pcap'];
  const keys = readKeyLog(
    ['openssl', 'chromium-nginx'].map(name => readFileSync(`${folder}${name}.keys`, 'latin1')).join('\n'),
  );
  const random = numbers(7);
  for (let run = 0; run < 160; run++) {
    const original = readFileSync(folder + (names[run % names.length] ?? ''));
    const bytes = new Uint8Array(damaged(original, random));
    let file: CaptureFile;
    try {
      file = await readCaptureFile(bytes);
    } catch (error) {
      expect(error).toMatchObject({code: 'INVALID_ARGUMENT', message: expect.stringMatching(/^[^\n]{10,200}$/)});
      continue;
    }
    expectAnswer(readPacketCapture(file.packets, new Map([...keys, ...readKeyLog(file.keys)]), nodeCrypto));
  }
});

test.each([
  ['udp', {pipeline: 'udp'}],
  ['catp', {pipeline: 'catp', abstract: 'twice'}],
  ['catp over TCP and UDP', {pipeline: 'catp', abstract: 'tcp', adapter: true}],
  ['catp on another visit', {pipeline: 'catp', visit: 'again'}],
  ['sctp over DTLS', {pipeline: 'sctp', tls: true, server: 'interleaving'}],
])('a damaged capture of this program is read, or refused in one line: %s', async (_, pane) => {
  const parsed = parseScenario({page: 'gallery-3k', path: {rateBps: 500_000, loss: 0.1}, panes: [pane], seed: 1});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed));
  const {scenario} = parsed;
  const page = await openPage(scenario.page, `${fixtures}pages`);
  const {packets} = await readCaptureFile(capture(page, scenario, scenario.seed, 0));
  const random = numbers(11);
  for (let run = 0; run < DAMAGED_RUNS; run++)
    expectAnswer(readPacketCapture(damagedPackets(packets, random), new Map(), nodeCrypto));
});

/** Expects sound loads that make valid traces, or an error of one line. */
function expectAnswer(answer: ReadCapture): void {
  if (!answer.ok) {
    expect(answer.message).toMatch(/^the capture [^\n]{10,900}$/);
    return;
  }
  for (const load of answer.loads) {
    expectSound(load);
    expect(traceProblem(captureTrace(load))).toBeUndefined();
  }
}

/** Checks what holds for every load, whatever the capture has. */
function expectSound({connections, exchanges, packets}: CapturedLoad): void {
  expect(exchanges.length).toBeGreaterThan(0);
  let lastNs = 0;
  for (const {connection, atNs, chunks, cumulativeAck, bytes} of packets) {
    expect(connections[connection]).toBeDefined();
    expect(atNs).toBeGreaterThanOrEqual(lastNs);
    expect(bytes).toBeGreaterThan(0);
    expect(typeof cumulativeAck).toBe('number');
    lastNs = atNs;
    for (const chunk of chunks) {
      expect(chunk.pieces.reduce((sum, piece) => sum + piece.bytes, 0)).toBeLessThanOrEqual(chunk.bytes);
      expect(chunk.pieces.every(({exchange}) => exchanges[exchange] !== undefined)).toBe(true);
    }
  }
  for (const {requestNs, deliveries, connection} of exchanges) {
    expect(requestNs).toBeGreaterThanOrEqual(0);
    expect(connections[connection ?? -1]).toBeDefined();
    expect(
      deliveries.every(
        ({atNs, bytes}, i) => atNs >= (deliveries[i - 1]?.atNs ?? 0) && bytes > (deliveries[i - 1]?.bytes ?? 0),
      ),
    ).toBe(true);
  }
}

/** Changes some bytes, cuts the end off, or repeats a part. */
function damaged(original: Uint8Array, random: () => number): Uint8Array {
  const bytes = Uint8Array.from(original);
  const at = (): number => Math.floor(random() * bytes.length);
  const kind = random();
  if (kind < 0.15) return bytes.subarray(0, at());
  if (kind < 0.3) {
    const [from, to] = [at(), at()].sort((a, b) => a - b);
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  }
  for (let changes = 1 + Math.floor(random() * 40); changes > 0; changes--) bytes[at()] = Math.floor(random() * 256);
  return bytes;
}

/** Pseudo-random numbers from 0 to 1 (the generator of Numerical Recipes). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Damages a capture: changes bytes of packets, cuts, repeats, removes or reorders packets, and removes comments. */
function damagedPackets(originals: readonly RecordedPacket[], random: () => number): readonly RecordedPacket[] {
  const share = random() ** 3;
  const packets = originals.flatMap(packet => {
    if (random() > share) return [packet];
    const kind = Math.floor(random() * 6);
    if (kind === 0) return [];
    if (kind === 1) return [packet, packet];
    if (kind === 2) return [{...packet, comment: '', interface: random() < 0.5 ? 'eth0' : packet.interface}];
    const data = Uint8Array.from(packet.data);
    if (kind === 3) return [{...packet, data: data.subarray(0, Math.floor(random() * data.length))}];
    // most bytes of interest are in the first hundred
    for (let flips = 1 + Math.floor(random() * 4); flips > 0; flips--)
      data[Math.floor(random() * (random() < 0.8 ? Math.min(data.length, 100) : data.length))] = Math.floor(
        random() * 256,
      );
    return [{...packet, data}];
  });
  if (random() < 0.5)
    for (let i = 0; i + 1 < packets.length; i++) {
      const [one, other] = [packets[i], packets[i + 1]];
      if (one !== undefined && other !== undefined && random() < share) [packets[i], packets[i + 1]] = [other, one];
    }
  // the order of time is that of the file
  const times = packets.map(({atNs}) => atNs).sort((a, b) => a - b);
  return packets.map((packet, row) => ({...packet, row, atNs: times[row] ?? 0}));
}

const DAMAGED_RUNS = 60;
