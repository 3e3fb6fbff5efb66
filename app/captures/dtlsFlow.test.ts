import {expect, test} from 'vitest';
import {beginsDtls, dtlsFlow} from './dtlsFlow.ts';
import type {UdpDatagram} from './recordedPacket.ts';

const DATA = 23;
const SCTP = [0xc0, 0, 0, 80, 1, 2, 3, 4, 0, 0, 0, 0];
const COOKIE_ACK = [11, 0, 0, 4];

/** A handshake record of DTLS 1.2, of this epoch. */
function plain(content: readonly number[], epoch = 0): readonly number[] {
  return [22, 0xfe, 0xfd, 0, epoch, 0, 0, 0, 0, 0, 0, 0, content.length, ...content];
}

/** A record as this program writes it: with the real type, and with a tag of zeros. */
function sealed(content: readonly number[], type = DATA, tag = 0): readonly number[] {
  return [0x2f, 0, 7, 0, content.length + 17, ...content, type, ...new Array(16).fill(tag)];
}

function flow(...datagrams: readonly (readonly number[])[]) {
  const all = datagrams.map((bytes, row): UdpDatagram => {
    const payload = Uint8Array.from(bytes);
    const packet = {row, atNs: row, bytes: 28 + bytes.length, data: payload, comment: '', interface: ''};
    return {packet, direction: 'up', payload, ecn: 0};
  });
  const {packets, isEncrypted} = dtlsFlow('a', all);
  return {types: packets.map(({chunks}) => chunks.map(({type}) => type)), isEncrypted};
}

test('only a datagram that begins with a handshake record can begin DTLS', () => {
  expect(
    [plain([1]), [22, 0xfe, 0xff], [22, 0x03, 0x03], sealed([1])].map(each => beginsDtls(Uint8Array.from(each))),
  ).toEqual([true, true, false, false]);
});

test('a record contains the chunks of an SCTP packet, or belongs to DTLS itself', () => {
  const hello = flow(
    [...plain([1, 2, 3]), ...sealed([8, 0], 22)],
    sealed([...SCTP, ...COOKIE_ACK]),
    sealed([0, 0], 26),
  );
  expect(hello).toEqual({types: [['dtls', 'dtls'], ['cookieAck'], ['dtls']], isEncrypted: false});
});

test('a record is encrypted if its tag or its DTLS 1.2 epoch is not 0, or if its header has another form', () => {
  expect(flow(plain([1]), sealed([...SCTP, ...COOKIE_ACK], DATA, 1))).toEqual({
    types: [['dtls'], []],
    isEncrypted: true,
  });
  expect(flow(plain([1]), [0x2b, 7, 1, 2, 3]).isEncrypted).toBe(true);
  expect(flow(plain([1]), plain([1], 1)).isEncrypted).toBe(true);
  expect(flow(plain([1]), [0x80, 1, 2]).isEncrypted).toBe(false);
});

test('records whose lengths lie, and those that are truncated, end the datagram', () => {
  const whole = sealed([...SCTP, ...COOKIE_ACK]);
  const cuts = whole.map((_, length) => whole.slice(0, length));
  expect(flow(...cuts).types.flat()).toEqual([]);
  const short = [0x2f, 0, 7, 0, 16, ...new Array(60).fill(0)];
  expect(flow([...plain([1]), ...short], [...whole, 0x2f]).types).toEqual([['dtls'], ['cookieAck']]);
});
