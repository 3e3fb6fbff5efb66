import {once} from 'node:events';
import {connect, createServer, type Server, type Socket} from 'node:net';
import {afterEach, describe, expect, test} from 'vitest';
import {KernelSamples, kernelInfo} from './kernelSamples.ts';

const sockets: Socket[] = [];
let server: Server | undefined;

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
  server = undefined;
});

async function connected(): Promise<{client: Socket; peer: Socket}> {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as {port: number};
  const client = connect(port, '127.0.0.1');
  const [[peer]] = await Promise.all([once(server, 'connection'), once(client, 'connect')]);
  sockets.push(client, peer);
  return {client, peer};
}

describe.runIf(process.platform === 'linux')('samples of the kernel', () => {
  test('have a row for each change, with its time and connection', async () => {
    const {client, peer} = await connected();
    let nowNs = 1e6;
    const samples = new KernelSamples(() => nowNs);
    samples.take(4, client);
    nowNs = 2e6;
    samples.take(4, client);
    samples.take(6, peer);
    client.write('a request');
    await once(peer, 'data');
    nowNs = 3e6;
    samples.take(4, client);
    const columns = samples.columns();
    expect([...columns.endpoint]).toEqual([4, 6, 4]);
    expect([...columns.atNs]).toEqual([1e6, 2e6, 3e6]);
    const {srttNs, rtoNs, cwndBytes, ssthreshBytes, state} = kernelInfo(client) ?? {};
    expect([columns.srttNs[2], columns.rtoNs[2]]).toEqual([srttNs, rtoNs]);
    expect([columns.cwndBytes[2], columns.ssthreshBytes[2]]).toEqual([cwndBytes, ssthreshBytes]);
    expect([columns.state[2], columns.timeouts[2], columns.probes[2]]).toEqual([state, 0, 0]);
    const {srttNs: srtts, rtoNs: rtos, cwndBytes: cwnds, flightBytes: flights} = columns;
    const rowOf = (row: number) => [srtts, rtos, cwnds, flights].map(column => column[row]);
    expect(rowOf(0)).not.toEqual(rowOf(2));
  });

  test('are empty for a socket that is not open', async () => {
    const {client} = await connected();
    client.destroy();
    await once(client, 'close');
    const samples = new KernelSamples(() => 0);
    samples.take(0, client);
    const fresh = connect(9, '127.0.0.1').on('error', () => undefined);
    samples.take(0, fresh);
    fresh.destroy();
    expect(samples.columns().atNs).toHaveLength(0);
  });
});
