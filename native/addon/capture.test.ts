import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {type LinkParams, Simulation} from './index.js';

const tshark = spawnSync('tshark', ['--version']).status === 0;

describe.skipIf(!tshark)('a capture opens in Wireshark (skipped without tshark)', () => {
  test.each([
    ['tcp', 'tcp.checksum.status'],
    ['sctp', 'sctp.checksum.status'],
    ['udp', 'udp.checksum.status'],
  ] as const)('%s packets have exact times in nanoseconds and correct checksums', (transport, status) => {
    const simulation = run(transport);
    const rows = dissect(simulation.pcapng(), ['frame.time_epoch', 'frame.len', 'ip.checksum.status', status]);
    const {sentNs, bytes} = simulation.packets();
    expect(rows.length).toBeGreaterThan(5);
    expect(rows).toEqual(Array.from(sentNs, (ns, row) => [seconds(ns), String(bytes[row]), 'Good', 'Good']));
  });
});

describe.skipIf(!tshark)('in a capture that Wireshark opens', () => {
  test('packets that did not arrive have a comment that says why', () => {
    const simulation = run('tcp', {queuePackets: 6});
    const {fate} = simulation.packets();
    const texts = ['', '', 'dropped: lost on the path', 'dropped: the queue was full'];
    expect(new Set(fate)).toEqual(new Set([1, 2, 3]));
    const rows = dissect(simulation.pcapng(), ['frame.comment', 'frame.len']);
    expect(rows.map(([comment]) => comment)).toEqual(Array.from(fate, each => texts[each]));
    simulation.free();
  });

  test('datagrams that arrived have a comment that says when they and their copies arrived', () => {
    const simulation = run('udp', {duplicate: true});
    const {sentNs, fate, fateNs, copyNs} = simulation.packets();
    const rows = dissect(simulation.pcapng(), ['frame.comment', 'frame.len']);
    const copies = Array.from(copyNs, (at, row) => (at >= 0 ? `, its copy after ${at - (sentNs[row] ?? 0)} ns` : ''));
    expect(new Set(copies).size).toBeGreaterThan(1);
    expect(rows.map(([comment]) => comment)).toEqual(
      Array.from(fate, (each, row) =>
        each === 2
          ? 'dropped: lost on the path'
          : `arrived ${(fateNs[row] ?? 0) - (sentNs[row] ?? 0)} ns after it was sent${copies[row]}`,
      ),
    );
    simulation.free();
  });

  test('packets with ECN have the ECN bits, and marked packets have CE and a comment', () => {
    const simulation = run('tcp', {ecn: 'classic'});
    const {ecn, marked} = simulation.packets();
    const fields = ['ip.dsfield.ecn', 'frame.comment', 'tcp.flags.ece', 'tcp.flags.cwr', 'ip.checksum.status'];
    const rows = dissect(simulation.pcapng(), fields);
    const codepoints = Array.from(ecn, (codepoint, row) => (marked[row] === 1 ? 3 : codepoint));
    expect(new Set(codepoints)).toEqual(new Set([0, 2, 3]));
    // dissect() writes 1 as Good
    expect(rows.map(([codepoint]) => Number(codepoint))).toEqual(codepoints);
    expect(rows.filter(([, comment]) => comment?.startsWith('marked: by the queue')).length).toBe(
      codepoints.filter(codepoint => codepoint === 3).length,
    );
    const [syn, synAck] = rows.map(([, , ece, cwr]) => [ece === 'Good', cwr === 'Good']);
    expect([syn, synAck]).toEqual([
      [true, true],
      [true, false],
    ]);
    const later = rows.slice(2);
    expect(later.some(([, , ece, cwr]) => ece === 'Good' && cwr !== 'Good')).toBe(true);
    expect(later.some(([, , ece, cwr]) => cwr === 'Good' && ece !== 'Good')).toBe(true);
    expect(rows.every(([, , , , status]) => status === 'Good')).toBe(true);
    simulation.free();
  });

  test('a server opened with port 443 has this port', () => {
    const rows = dissect(run('tcp', {port: 443}).pcapng(), ['tcp.srcport', 'tcp.dstport']);
    expect(new Set(rows.flat())).toEqual(new Set(['443', '49152']));
  });
});

test('a capture names the program, and says that QUIC packets or DTLS records, if any, are not encrypted', () => {
  const text = (capture: Uint8Array): string => Buffer.from(capture.subarray(0, 500)).toString('latin1');
  const tcp = text(run('tcp').pcapng('interleave 1.2.3 (abc1234)'));
  expect(tcp).toContain('interleave 1.2.3 (abc1234)');
  expect(tcp).not.toContain('QUIC');
  const quic = text(run('quic').pcapng());
  expect(quic).toContain('QUIC packets of this capture are not encrypted');
  const dtls = text(run('sctp', {dtls: true}).pcapng());
  expect(dtls).toContain('DTLS records of this capture are not encrypted');
  expect(dtls).not.toContain('QUIC');
  expect(text(run('sctp').pcapng())).not.toContain('not encrypted');
  expect(() => openAt(0)).toThrow(/port/);
  expect(() => openAt(65_536)).toThrow(/port/);
});

test('a capture with packets of QUIC and records of DTLS says that neither is encrypted', () => {
  const link: LinkParams = {rateBps: 1e6, delayNs: 1e6, loss: {model: 'none'}, queuePackets: 100};
  const path = {down: link, up: link, mtuBytes: 1500};
  const simulation = new Simulation({seed: 1, path, record: {packets: true, bytes: true}});
  const [quic, sctp] = [{profile: 'modern'} as const, {profile: 'modern', streams: 1, dtls: true} as const];
  // the first packet is a record of DTLS
  simulation.connect(simulation.openSctp({client: sctp, server: sctp}).client);
  simulation.connect(simulation.openQuic({client: quic, server: quic}).client);
  while (simulation.advance().length > 0);
  const text = Buffer.from(simulation.pcapng().subarray(0, 1000)).toString('latin1');
  expect(text).toContain('QUIC packets of this capture are not encrypted');
  expect(text).toContain('DTLS records of this capture are not encrypted');
  simulation.free();
});

describe.skipIf(!tshark)('Wireshark reads SCTP packets (skipped without tshark)', () => {
  test('with messages that interleave and streams that are reset', () => {
    const simulation = run('sctp', {idata: true});
    const rows = dissect(simulation.pcapng(), [
      '_ws.malformed',
      'sctp.chunk_type',
      'sctp.data_sid',
      'sctp.checksum.status',
    ]);
    const {stream} = simulation.chunks();
    const types = rows.flatMap(([, types]) => types?.split(',') ?? []);
    expect(types.filter(type => type === '64').length).toBe(stream.length);
    expect(types.filter(type => type === '0')).toEqual([]);
    // there is a request and an answer in each direction
    expect(types.filter(type => type === '130').length).toBeGreaterThanOrEqual(4);
    expect(rows.map(([malformed]) => malformed)).toEqual(rows.map(() => ''));
    expect(rows.flatMap(([, , streams]) => (streams ? streams.split(',').map(Number) : []))).toEqual([...stream]);
    expect(rows.every(([, , , status]) => status === 'Good')).toBe(true);
  });
});

/** Runs a transport on a lossy path. Returns the simulation with its packets. */
function run(
  transport: 'tcp' | 'sctp' | 'udp' | 'quic',
  {
    port,
    ecn = 'off',
    queuePackets = 100,
    duplicate = false,
    ...options
  }: {
    readonly dtls?: boolean;
    readonly duplicate?: boolean;
    readonly ecn?: 'off' | 'classic';
    readonly idata?: boolean;
    readonly port?: number;
    readonly queuePackets?: number;
  } = {},
): Simulation {
  const link: LinkParams = {
    rateBps: 1_234_567,
    delayNs: 7_654_321,
    loss: {model: 'bernoulli', rate: 0.05},
    queuePackets,
    ...(duplicate && {duplicate: {rate: 0.3}}),
    // the queue marks whatever has waited
    ...(ecn === 'off' ? {} : {queue: {kind: 'codel', markFromNs: 1000}}),
  };
  const simulation = new Simulation({
    seed: 3,
    path: {down: link, up: link, mtuBytes: 1500},
    record: {packets: true, bytes: true},
  });
  const tcp = {profile: 'modern', ecn} as const;
  const sctp = {profile: 'classic', streams: 3, ...options} as const;
  const ends =
    transport === 'tcp'
      ? simulation.openTcp({client: tcp, server: tcp, ...(port === undefined ? {} : {port})})
      : transport === 'sctp'
        ? simulation.openSctp({client: sctp, server: sctp})
        : transport === 'quic'
          ? simulation.openQuic({client: tcp, server: tcp})
          : simulation.openUdp();
  if (transport === 'udp') {
    for (let size = 0; size < 10; size += 1) simulation.send(ends.client, 0, new Uint8Array(size * 99).fill(size));
  } else {
    simulation.connect(ends.client);
  }
  const size = options.idata ? 3001 : 1001;
  for (let events = simulation.advance(); events.length > 0; events = simulation.advance()) {
    for (const {endpoint, type} of events) {
      if (type === 'connected' && endpoint === ends.server && transport !== 'quic') {
        if (transport === 'tcp') simulation.write(endpoint, 0, new Uint8Array(30_000).fill(1));
        else for (let i = 0; i < 30; i += 1) simulation.send(endpoint, i % 3, new Uint8Array(size).fill(i));
        if (options.idata) simulation.renew(endpoint, 1);
        else simulation.close(endpoint);
      }
      if (type === 'readable') simulation.read(endpoint, 0);
      if (type === 'peer-closed' && transport === 'tcp') simulation.close(endpoint);
    }
  }
  return simulation;
}

/** Returns fields of each packet from tshark. A correct checksum is `Good`. */
function dissect(capture: Uint8Array, fields: string[]): string[][] {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-capture-'));
  try {
    const file = join(folder, 'run.pcapng');
    writeFileSync(file, capture);
    const checks = ['ip.check_checksum:TRUE', 'tcp.check_checksum:TRUE', 'udp.check_checksum:TRUE'];
    const preferences = [...checks, 'sctp.checksum:crc-32c'].flatMap(preference => ['-o', preference]);
    const columns = fields.flatMap(field => ['-e', field]);
    const text = execFileSync('tshark', ['-r', file, ...preferences, '-T', 'fields', ...columns], {
      encoding: 'utf8',
      env: {...process.env, TZ: 'UTC'},
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return text
      .trimEnd()
      .split('\n')
      .map(line => line.split('\t').map(value => (value === '1' ? 'Good' : value)));
  } finally {
    rmSync(folder, {recursive: true});
  }
}

function seconds(ns: number): string {
  return `${Math.floor(ns / 1e9)}.${String(ns % 1e9).padStart(9, '0')}`;
}

function openAt(port: number): void {
  const link: LinkParams = {rateBps: 1e6, delayNs: 1e6, loss: {model: 'bernoulli', rate: 0}, queuePackets: 9};
  const simulation = new Simulation({seed: 1, path: {down: link, up: link, mtuBytes: 1500}});
  simulation.openTcp({client: {profile: 'modern'}, server: {profile: 'modern'}, port});
}
