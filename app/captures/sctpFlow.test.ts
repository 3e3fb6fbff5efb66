import {expect, test} from 'vitest';
import {PROTOCOL} from './ipPacket.ts';
import {sctpFlows} from './sctpFlow.ts';
import type {SctpPacket} from './sctpPacket.ts';

const OWN_DOWN = 'down (server to client)';
const OWN_UP = 'up (client to server)';

/** Returns the client of the association whose first captured packet goes from host a to host b. */
function clientOf(
  interfaceName: string,
  {fromPort = 9, toPort = 9, tag = 1}: {readonly fromPort?: number; readonly toPort?: number; readonly tag?: number},
): string | undefined {
  const payload = Uint8Array.of(0, fromPort, 0, toPort, 0, 0, 0, tag, 0, 0, 0, 0);
  const recorded = {row: 0, atNs: 0, bytes: 32, data: payload, comment: '', interface: interfaceName};
  const ip = {recorded, protocol: PROTOCOL.sctp, from: 'a', to: 'b', ecn: 0, identification: 0, payload};
  const packet: SctpPacket = {ip: {...ip, payloadBytes: payload.length}, fromPort, toPort, chunks: []};
  return sctpFlows([packet])[0]?.client;
}

test('the client sends INIT, whose verification tag is 0; without it, the client has the larger port', () => {
  expect(clientOf('', {fromPort: 9, toPort: 90, tag: 0})).toBe('a');
  expect(clientOf('', {fromPort: 90, toPort: 9})).toBe('a');
  expect(clientOf('', {fromPort: 9, toPort: 90})).toBe('b');
});

test('in a capture of this program, the name of the interface decides, whatever the ports and the tag are', () => {
  for (const more of [{tag: 0}, {fromPort: 90}, {toPort: 90}]) {
    expect(clientOf(OWN_DOWN, more)).toBe('b');
    expect(clientOf(OWN_UP, more)).toBe('a');
  }
});
