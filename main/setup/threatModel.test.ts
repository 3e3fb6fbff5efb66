import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {PATH_PORT} from '../cli/commands/path/path.ts';
import {NEAR_PORT} from '../cli/commands/shim.ts';
import {PORT_OFFSETS} from '../live/base/liveAddress.ts';
import {SCTP_UDP_PORT} from '../live/base/sctpInUdp.ts';
import {SHIM_LIMITS} from '../live/shim/shimLimits.ts';
import {root} from './command.mjs';

const text = readFileSync(join(root, 'docs/threat-model.md'), 'utf8');

/** Returns the second cell of a listener's row in the table of listeners: its ports. */
function portsOf(listener: string): string {
  const row = text.split('\n').find(line => line.startsWith(`| ${listener} |`));
  return row?.split('|')[2]?.trim() ?? '';
}

test('the threat model names the ports that listeners have by default', () => {
  const {quic, tcpInUdp, control} = PORT_OFFSETS;
  expect(portsOf('`interleave serve`: HTTP/1.1')).toBe(`TCP ${SCTP_UDP_PORT}`);
  expect(portsOf('the same page: SCTP')).toBe(`UDP ${SCTP_UDP_PORT}`);
  expect(portsOf('the same page: HTTP/3, HTTP/2 with TLS')).toBe(`UDP and TCP ${SCTP_UDP_PORT + quic}`);
  expect(portsOf('the same page: our own TCP')).toBe(`UDP ${SCTP_UDP_PORT + tcpInUdp}`);
  expect(portsOf('`interleave path`: relays')).toBe(`UDP ${PATH_PORT} to ${PATH_PORT + tcpInUdp}`);
  expect(portsOf('`interleave path`: control')).toBe(`TCP ${PATH_PORT + control}`);
  expect(portsOf('`interleave path --namespace`: control')).toContain(`port + ${control},`);
  expect(portsOf('`interleave shim`, near end')).toBe(`127.0.0.1, TCP ${NEAR_PORT}`);
  expect(portsOf('`interleave shim --gateway`, far end')).toBe(`UDP ${SCTP_UDP_PORT}`);
  expect(text).toContain(`tunnels to port ${SHIM_LIMITS.tunnelPorts.join(', ')};`);
});
