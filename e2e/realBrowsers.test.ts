import {spawnSync} from 'node:child_process';
import {describe, expect, test} from 'vitest';
import {findBrowser} from '../main/setup/browser.mjs';
import type {BrowserLoad} from './realBrowsers/browserLoad.ts';
import {snapshotOf, VALIDATION_PAGES} from './realBrowsers/pages.ts';
import {type RealLoad, realLoads} from './realBrowsers/realLoads.ts';
import {findProgram, REAL_SERVERS} from './realBrowsers/servers.ts';
import {whyNotSealed} from './sealedNetwork.ts';

// One load of the validation with real browsers (validateBrowser.make.ts). It tests that the validation runs, not how
// close the load's times are to computed ones.

const server = REAL_SERVERS.find(({program}) => findProgram(program) !== undefined);
const needed = ['openssl', 'certutil', 'chrt'].find(program => findProgram(program) === undefined);

const why =
  whyNotSealed ||
  (findBrowser() === undefined ? ' (skipped: there is no Chromium or Chrome)' : '') ||
  (server === undefined ? ' (skipped: there is no nginx, Caddy, h2o or Apache)' : '') ||
  (needed === undefined ? '' : ` (skipped: there is no ${needed})`) ||
  (hasCongestion() ? '' : ' (skipped: the kernel has no CUBIC)');

describe.skipIf(why !== '')(`real browsers${why}`, () => {
  test('a real browser loads the gallery from a real server through the emulated path', async () => {
    const [page = failed()] = VALIDATION_PAGES;
    const path = {rateBps: 20e6, rttMs: 20, loss: 0.01};
    const cell = {page: page.name, browser: 'chromium', server: server?.name ?? '', protocol: 'h2', path} as const;
    const loads: RealLoad[] = [];
    await realLoads(cell, await snapshotOf(page), [1], load => loads.push(load));
    const [load = failed()] = loads;
    const {objects, finishMs, fcpMs, loadMs} = load.result as BrowserLoad;
    expect(objects.map(({path: url}) => url)).toEqual(expect.arrayContaining(['/', '/lake.jpg', '/logo.png']));
    expect(objects).toHaveLength(12);
    // a handshake of TCP, one of TLS and a request take three round trips
    expect(objects[0]?.endMs).toBeGreaterThan(60);
    expect(finishMs).toBeGreaterThan(objects[0]?.endMs ?? Number.NaN);
    expect(fcpMs).toBeGreaterThan(60);
    expect(loadMs).toBeGreaterThan(60);
  });
});

function hasCongestion(): boolean {
  const {stdout} = spawnSync('cat', ['/proc/sys/net/ipv4/tcp_available_congestion_control'], {encoding: 'utf8'});
  return /\bcubic\b/.test(stdout);
}

function failed(): never {
  throw new Error('there is none');
}
