import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {decodePacket} from './decodePacket.ts';
import type {Part} from './part.ts';

// These packets are written byte by byte. main/engine/packetParts.test.ts decodes packets of real runs.

// biome-ignore format: rows follow the packet's fields
const TCP = packet(6, [
  0xc0, 0, 0, 80, 0, 0, 0, 1, 0, 0, 0, 9,
  // A header of 13 words, with SYN and ACK.
  0xd0, 0x12, 0xff, 0xff, 0xab, 0xcd, 0, 0,
  2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 0, 0, 7, 0, 0, 0, 5,
  1, 3, 3, 14, 5, 10, 0, 0, 0, 20, 0, 0, 0, 30, 1, 0,
  ...[...'HTTP/1.1 200 OK\r\n\r\n'].map(letter => letter.charCodeAt(0)),
]);

// biome-ignore format: rows follow the packet's chunks
const SCTP = packet(132, [
  0xc0, 0, 0, 80, 1, 2, 3, 4, 5, 6, 7, 8,
  // SACK with one gap ack block and one duplicate
  3, 0, 0, 24, 0, 0, 0, 100, 0, 1, 0, 0, 0, 1, 0, 1, 0, 2, 0, 4, 0, 0, 0, 99,
  // I-DATA: begins a message
  64, 2, 0, 23, 0, 0, 0, 50, 0, 3, 0, 0, 0, 0, 0, 6, 0, 0, 0, 42, 1, 2, 3, 0,
  // I-DATA: continues the message
  64, 0, 0, 21, 0, 0, 0, 51, 0, 3, 0, 0, 0, 0, 0, 6, 0, 0, 0, 1, 9, 0, 0, 0,
  // RE-CONFIG: outgoing SSN reset request of streams 1 and 2, and a response
  130, 0, 0, 36, 0, 13, 0, 20, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 7, 0, 1, 0, 2,
  0, 16, 0, 12, 0, 0, 0, 5, 0, 0, 0, 1,
]);

describe('a packet', () => {
  test('has its IPv4 header', () => {
    const [ip] = decoded(TCP);
    expect(textsOf(ip)).toMatchObject({
      version: '4',
      header: '20 B',
      'total length': `${TCP.length} B`,
      TTL: '64',
      protocol: '6 (TCP)',
      'do not fragment': 'yes',
      from: '10.0.0.1',
      to: '10.0.0.2',
    });
  });

  test('of TCP has flags, each option, and the beginning of text data', () => {
    const [, tcp] = decoded(TCP);
    expect(tcp?.fault).toBeUndefined();
    expect(textsOf(tcp)).toMatchObject({
      'from port': '49152',
      'to port': '80',
      'sequence number': '1',
      'acknowledgment number': '9',
      header: '52 B',
      flags: 'ACK, SYN',
      window: '65535',
      data: '19 B',
      begins: 'HTTP/1.1 200 OK',
    });
    expect(tcp?.parts.map(part => [part.name, ...part.fields.map(({text}) => text)])).toEqual([
      ['maximum segment size', '1460 B'],
      ['SACK permitted'],
      ['timestamps', '7', '5'],
      ['window scale', '14'],
      ['SACK', '20 – 30'],
    ]);
  });

  test('of SCTP has its chunks: SACK, I-DATA, RE-CONFIG', () => {
    const [, sctp] = decoded(SCTP);
    const parts = sctp?.parts ?? [];
    expect(parts.map(({name, fault}) => [name, fault])).toEqual([
      ['SACK', undefined],
      ['I-DATA', undefined],
      ['I-DATA', undefined],
      ['RE-CONFIG', undefined],
    ]);
    const [sack, first, next, reconfig] = parts;
    expect(textsOf(sack)).toMatchObject({
      'cumulative TSN ack': '100',
      'gap ack block': 'TSN 102 – 104',
      'duplicate TSN': '99',
    });
    expect(textsOf(first)).toMatchObject({TSN: '50', stream: '3', MID: '6', PPID: '42', data: '3 B'});
    expect(textsOf(first)['flags']).toMatch(/^B/);
    expect(textsOf(next)).toMatchObject({MID: '6', FSN: '1', flags: 'none', data: '1 B'});
    expect(reconfig?.parts.map(textsOf)).toMatchObject([
      {type: 'outgoing SSN reset request', 'last TSN': '7', streams: '1, 2'},
      {type: 're-configuration response', result: 'success'},
    ]);
  });

  test('of UDP has ports and data', () => {
    const [, udp] = decoded(packet(17, [0xc0, 0, 0, 53, 0, 11, 0xbe, 0xef, 1, 2, 3]));
    expect(textsOf(udp)).toMatchObject({'to port': '53', length: '11 B', checksum: '0xbeef', data: '3 B'});
  });

  test('of another protocol has only its IPv4 header', () => {
    expect(decoded(packet(50, [1, 2, 3])).map(({name}) => name)).toEqual(['IPv4']);
  });
});

describe('hostile bytes', () => {
  test.each([
    ['TCP', TCP],
    ['SCTP', SCTP],
  ])('%s that is truncated anywhere has a fault, and keeps the parts before it', (_, whole) => {
    for (let length = 0; length < whole.length; length++) {
      const faults = decoded(whole.subarray(0, length)).flatMap(faultsOf);
      expect(faults[0], `${length} B`).toMatch(/^cut short: .+ takes \d+ B, and \d+ B are left$/);
    }
    expect(decoded(whole).flatMap(faultsOf)).toEqual([]);
    expect(textsOf(decoded(whole.subarray(0, 30))[1])['to port']).toBe('80');
  });

  test('a truncated chunk or option states its fault', () => {
    const faultyPart = (whole: Uint8Array, length: number) =>
      decoded(whole.subarray(0, length))[1]?.parts.find(({fault}) => fault !== undefined)?.name;
    expect(faultyPart(SCTP, 50)).toBe('SACK');
    expect(faultyPart(SCTP, 70)).toBe('I-DATA');
    // The bytes after a truncated chunk are not decoded.
    const names = decoded(SCTP.subarray(0, 50))[1]?.parts.map(({name}) => name);
    expect(names).toEqual(['SACK']);
    const [, tcp] = decoded(TCP.subarray(0, 50));
    expect(tcp?.fault).toBe('cut short: options takes 32 B, and 10 B are left');
  });

  test('any bytes are decoded without an exception, and without undefined values', () => {
    fc.assert(
      fc.property(fc.uint8Array({maxLength: 200}), fc.constantFrom(6, 17, 132), (bytes, protocol) => {
        for (const input of [bytes, packet(protocol, [...bytes])]) {
          const parts = decoded(input);
          for (const text of parts.flatMap(allTexts)) expect(text).not.toMatch(/undefined|NaN/);
          expect(JSON.stringify(parts).length).toBeLessThan(200 * input.length + 2000);
        }
      }),
      {numRuns: 500},
    );
  });

  test('chunks and options with length 0 cause no endless loop', () => {
    const [, sctp] = decoded(packet(132, [0, 0, 0, 80, 0, 0, 0, 0, 0, 0, 0, 0, 14, 0, 0, 0, 14, 0, 0, 0]));
    expect(sctp?.parts).toHaveLength(2);
    const options = [1, 2, 3, 4].flatMap(() => [9, 0]);
    const [, tcp] = decoded(packet(6, [...new Array(12).fill(0), 0x70, 0, 0, 0, 0, 0, 0, 0, ...options]));
    expect(tcp?.parts).toHaveLength(4);
  });
});

/** Decodes a packet of a run that has no other packets. */
function decoded(packet: Uint8Array): readonly Part[] {
  return decodePacket([packet], 0);
}

/** An IPv4 packet from 10.0.0.1 to 10.0.0.2. */
function packet(protocol: number, payload: readonly number[]): Uint8Array {
  const bytes = 20 + payload.length;
  const lengths = [bytes >> 8, bytes & 255];
  return Uint8Array.of(0x45, 0, ...lengths, 0, 1, 0x40, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, ...payload);
}

function textsOf(part: Part | undefined): {readonly [name: string]: string} {
  return Object.fromEntries(part?.fields.map(({name, text}) => [name, text]) ?? []);
}

function faultsOf({fault, parts}: Part): readonly string[] {
  return [...(fault === undefined ? [] : [fault]), ...parts.flatMap(faultsOf)];
}

function allTexts({fields, parts}: Part): readonly string[] {
  return [...fields.map(({text}) => text), ...parts.flatMap(allTexts)];
}
