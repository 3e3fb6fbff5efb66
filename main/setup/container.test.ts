import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {PORT_OFFSETS} from '../live/base/liveAddress.ts';
import {SCTP_UDP_PORT} from '../live/base/sctpInUdp.ts';
import {root} from './command.mjs';

// The Dockerfile is tried by hand, because the machines of the tests have no daemon of Docker.

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');

test('the image is built with versions that the sources accept', () => {
  const [, rust] = /^rust-version = "(.+)"$/m.exec(readFileSync(join(root, 'native/Cargo.toml'), 'utf8')) ?? [];
  expect(/^ARG RUST=(.+)$/m.exec(dockerfile)?.[1]).toBe(rust);
  const {engines} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {engines: {node: string}};
  const [, least = ''] = /^>=(\d+)/.exec(engines.node) ?? [];
  expect(Number(/^ARG NODE=(.+)$/m.exec(dockerfile)?.[1])).toBeGreaterThanOrEqual(Number(least));
});

test('the build gets the commit and all files that Git tracks, but nothing that is built or installed', () => {
  const patterns = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'));
  const ignored = patterns.map(pattern => pattern.replace(/^\*\*\//, ''));
  const unkept = readFileSync(join(root, '.gitignore'), 'utf8').trimEnd().split('\n');
  expect(ignored.toSorted()).toEqual(unkept.map(line => line.replace(/\/$/, '')).toSorted());
  const kept = execFileSync('git', ['ls-files', '--cached', '--ignored', '--exclude-standard'], {cwd: root});
  expect(kept.toString()).toBe('');
  expect(patterns.filter(pattern => pattern.startsWith('.git'))).toEqual([]);
});

test('the image exposes the default ports of the server', () => {
  const [own, {quic, tls, tcpInUdp}] = [SCTP_UDP_PORT, PORT_OFFSETS];
  const ports = [`${own}/tcp`, `${own}/udp`, `${own + tls}/tcp`, `${own + quic}/udp`, `${own + tcpInUdp}/udp`];
  expect(/^EXPOSE (.+)$/m.exec(dockerfile)?.[1]?.split(' ')).toEqual(ports);
});
