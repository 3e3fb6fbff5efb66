import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readlinkSync} from 'node:fs';
import {createServer} from 'node:net';
import {networkInterfaces} from 'node:os';
import {text} from 'node:stream/consumers';
import {describe, expect, test} from 'vitest';
import {type Direction, Tunnel} from './index.js';

const canMake = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/dev/net/tun');
// the addresses depend on the process, because tests may run at the same time
const [high, low] = [Math.floor(process.pid / 16) % 256, (process.pid % 16) * 16];
const options = {
  inside: `198.19.${high}.${low + 2}`,
  outside: `198.19.${high}.${low + 1}`,
  mtuBytes: 1500,
};

function isUp(): boolean {
  return Object.values(networkInterfaces()).some(list => list?.some(({address}) => address === options.outside));
}

/** Runs a program in the namespace and returns its output. */
async function inside(tunnel: Tunnel, code: string): Promise<string> {
  const child = spawn('nsenter', [`--net=${tunnel.namespacePath}`, process.execPath, '-e', code]);
  return (await text(child.stdout)) + (await text(child.stderr));
}

describe.runIf(canMake)('a tunnel', () => {
  test('passes packets of the kernel out of the namespace and back if they are sent on', async () => {
    const seen: [Direction, number][] = [];
    const tunnel: Tunnel = new Tunnel(JSON.stringify(options), (direction, packet) => {
      seen.push([direction, packet.length]);
      tunnel.send(direction, packet);
    });
    const server = createServer(socket => socket.on('error', () => undefined).end('x'.repeat(100_000)));
    try {
      server.listen(0, options.outside);
      await once(server, 'listening');
      const {port} = server.address() as {port: number};
      const get = `require('node:net').connect(${port}, '${options.outside}').pipe(process.stdout)`;
      expect(await inside(tunnel, get)).toBe('x'.repeat(100_000));
      const down = seen.filter(([direction]) => direction === 'down');
      const downBytes = down.reduce((sum, [, bytes]) => sum + bytes, 0);
      // each packet has IP and TCP headers, and no packet is larger than the MTU of the devices
      expect(downBytes).toBeGreaterThanOrEqual(100_000 + 40 * (100_000 / 1460));
      expect(seen.every(([, bytes]) => bytes <= options.mtuBytes)).toBe(true);
      expect(tunnel.missed).toBe(0);
    } finally {
      server.close();
      tunnel.close();
    }
  });

  test('removes its devices and its namespace when it is closed, and cannot be used any more', () => {
    const tunnel = new Tunnel(options, () => undefined);
    const {namespacePath, deviceName} = tunnel;
    expect(readlinkSync(namespacePath)).toMatch(/^net:/);
    expect(readlinkSync(namespacePath)).not.toBe(readlinkSync('/proc/self/ns/net'));
    expect([isUp(), deviceName.startsWith('interleave')]).toEqual([true, true]);
    tunnel.close();
    expect(isUp()).toBe(false);
    expect(existsSync(namespacePath) && readlinkSync(namespacePath).startsWith('net:')).toBe(false);
    expect(() => tunnel.send('up', new Uint8Array(20))).toThrow('the tunnel was freed');
  });

  test('refuses bytes that are not a packet', () => {
    const tunnel = new Tunnel(options, () => undefined);
    expect(tunnel.send('up', new Uint8Array(0))).toBe(false);
    expect(tunnel.send('down', new Uint8Array(70_000))).toBe(false);
    expect(() => tunnel.send('left' as Direction, new Uint8Array(20))).toThrow('invalid direction');
    tunnel.close();
  });

  test('refuses invalid addresses and sizes', () => {
    for (const [wrong, why] of [
      [{inside: '198.18.0'}, 'options.inside'],
      [{outside: '::1'}, 'options.outside'],
      [{mtuBytes: 575}, 'invalid mtuBytes: 575 (must be a whole number, 576–65535)'],
      [{more: 1}, 'unknown field `more`'],
    ] as const)
      expect(() => new Tunnel({...options, ...wrong}, () => undefined)).toThrow(why);
    expect(isUp()).toBe(false);
  });
});
