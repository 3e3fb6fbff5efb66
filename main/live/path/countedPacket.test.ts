import {describe, expect, test} from 'vitest';
import {countedPacket, markedPacket} from './relayedPacket.ts';

const PORT = 9899;
const [TCP, UDP, ICMP] = [6, 17, 1];

/** Returns an IPv4 packet. `options` is the number of words of header options. */
function packet(protocol: number, payload: Buffer, {options = 0, fragment = 0} = {}): Buffer {
  const header = Buffer.alloc(20 + 4 * options);
  header.writeUInt8(0x45 + options, 0);
  header.writeUInt16BE(fragment, 6);
  header.writeUInt8(protocol, 9);
  return Buffer.concat([header, payload]);
}

function segment(payloadBytes: number, optionWords = 0): Buffer {
  const bytes = Buffer.alloc(20 + 4 * optionWords + payloadBytes);
  bytes.writeUInt8((5 + optionWords) << 4, 12);
  return bytes;
}

function datagram(from: number, to: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt16BE(from, 0);
  header.writeUInt16BE(to, 2);
  return Buffer.concat([header, payload]);
}

/** Returns an SCTP packet with one chunk. */
function sctp(type: number): Buffer {
  const bytes = Buffer.alloc(12 + 16);
  bytes.writeUInt8(type, 12);
  bytes.writeUInt16BE(16, 14);
  return bytes;
}

describe('for the kernel’s packets', () => {
  test('a TCP segment has data if bytes follow its header, whatever the length of the IP and TCP headers', () => {
    for (const options of [0, 10]) {
      for (const words of [0, 3, 10]) {
        expect(countedPacket(packet(TCP, segment(0, words), {options}), PORT).hasData).toBe(false);
        expect(countedPacket(packet(TCP, segment(1, words), {options}), PORT).hasData).toBe(true);
      }
    }
    expect(countedPacket(packet(TCP, segment(100)), PORT).bytes).toBe(140);
  });

  test('datagrams from and to a server’s ports are counted as relays count them', () => {
    for (const [from, to] of [
      [PORT, 5],
      [5, PORT],
    ] as const) {
      const [data, sack] = [sctp(0), sctp(3)].map(bytes => countedPacket(packet(UDP, datagram(from, to, bytes)), PORT));
      expect([data, sack]).toMatchObject([
        {bytes: 20 + 28, hasData: true},
        {bytes: 20 + 28, hasData: false},
      ]);
    }
    const quic = packet(UDP, datagram(5, PORT + 1, sctp(3)));
    expect(countedPacket(quic, PORT)).toMatchObject({bytes: 28 + 28, hasData: true});
    const tcp = packet(UDP, datagram(5, PORT + 2, segment(0)));
    expect(countedPacket(tcp, PORT)).toMatchObject({bytes: 20 + 20, hasData: false});
  });

  test('other datagrams count with all headers, and have data if they are not empty', () => {
    const other = (bytes: number) => countedPacket(packet(UDP, datagram(5, 6, Buffer.alloc(bytes))), PORT);
    expect([other(0), other(1)]).toMatchObject([
      {bytes: 28, hasData: false},
      {bytes: 29, hasData: true},
    ]);
    expect(countedPacket(packet(ICMP, Buffer.alloc(64)), PORT)).toMatchObject({bytes: 84, hasData: false});
  });

  test('later fragments count as data, and a first fragment is judged by its content', () => {
    const later = packet(TCP, segment(0), {fragment: 185});
    expect(countedPacket(later, PORT).hasData).toBe(true);
    const first = packet(TCP, segment(0), {fragment: 0x2000});
    expect(countedPacket(first, PORT).hasData).toBe(false);
  });

  test('a packet that is cut short or has a wrong header length is counted and has no data', () => {
    const whole = [packet(TCP, segment(9)), packet(UDP, datagram(5, PORT, sctp(0)))];
    for (const bytes of whole) {
      for (let length = 0; length < 28; length++) {
        expect(countedPacket(bytes.subarray(0, length), PORT)).toMatchObject({bytes: length, hasData: false});
      }
      const lying = Buffer.from(bytes);
      lying.writeUInt8(0x4f, 0);
      expect(countedPacket(lying, PORT).hasData).toBe(false);
    }
  });
});

describe('for queues', () => {
  test('packets of one connection and direction share a flow, and other packets have other flows', () => {
    const from = (protocol: number, source: number, port: number) => {
      const bytes = packet(protocol, datagram(port, 443, Buffer.alloc(20)));
      bytes.writeUInt8(source, 15);
      return countedPacket(bytes, PORT).flow;
    };
    expect(from(TCP, 1, 5000)).toBe(from(TCP, 1, 5000));
    expect(new Set([from(TCP, 1, 5000), from(UDP, 1, 5000), from(TCP, 2, 5000), from(TCP, 1, 5001)]).size).toBe(4);
    const fragments = [5, 6].map(port =>
      countedPacket(packet(UDP, datagram(port, 1, Buffer.alloc(9)), {fragment: 7}), PORT),
    );
    expect(fragments[0]?.flow).toBe(fragments[1]?.flow);
    expect(countedPacket(Buffer.alloc(3), PORT)).toMatchObject({ecn: 0});
  });

  test('a marked packet has the codepoint CE and a right checksum', () => {
    const sumOf = (header: Buffer): number => {
      let sum = 0;
      for (let at = 0; at < 20; at += 2) sum += header.readUInt16BE(at);
      return (sum & 0xffff) + (sum >>> 16);
    };
    for (const ecn of [1, 2, 3]) {
      for (let id = 0; id < 2000; id += 7) {
        const bytes = packet(TCP, segment(5));
        bytes.writeUInt8(ecn, 1);
        bytes.writeUInt16BE((id * 33) & 0xffff, 4);
        bytes.writeUInt16BE(~sumOf(bytes) & 0xffff, 10);
        expect(countedPacket(bytes, PORT).ecn).toBe(ecn);
        const marked = Buffer.from(markedPacket(bytes));
        expect(countedPacket(marked, PORT).ecn).toBe(3);
        expect(sumOf(marked)).toBe(0xffff);
        expect(marked.subarray(12)).toEqual(bytes.subarray(12));
      }
    }
  });
});
