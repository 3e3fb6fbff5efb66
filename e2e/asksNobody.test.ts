// @module-tag long
import type {ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {afterAll, afterEach, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {findBrowser, quietArguments} from '../main/setup/browser.mjs';
import {root} from '../main/setup/command.mjs';
import {openDisplay} from './display.ts';
import {openSealedNetwork, type SealedNetwork, whyNotSealed} from './sealedNetwork.ts';
import {whySkipped} from './window.ts';

// Runs the program in a network of its own, whose only way out records every packet. The program must send nothing
// there, not even the look-up of a name.

const why = whySkipped || whyNotSealed;

describe.skipIf(why !== '')(`Chromium sends nothing to the network${why}`, () => {
  let network: SealedNetwork;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    network = await openSealedNetwork();
  });
  afterAll(() => network?.close());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'interleave-sealed-'));
    // pictures are measured anew
    env = {...process.env, HOME: folder, TMPDIR: folder, XDG_CACHE_HOME: folder};
  });
  afterEach(() => rmSync(folder, {recursive: true, force: true}));

  test('the recording shows what other programs ask for', async () => {
    const script =
      "require('node:dns').lookup('www.example.com', () => {}); require('node:net').connect(80, '192.0.2.1').on('error', () => {})";
    const asking = network.spawn(process.execPath, ['-e', script], {stdio: 'ignore'});
    const asked = [expect.stringMatching(/^UDP .*:53 asks for www\.example\.com$/), 'TCP 192.0.2.1:80'];
    await expect.poll(() => network.packets.slice(0)).toEqual(expect.arrayContaining(asked));
    asking.kill('SIGKILL');
    await once(asking, 'exit');
    const proxying = network.spawn('curl', ['-sx', 'http://127.0.0.1:1', 'http://example.com/'], {
      stdio: 'ignore',
    });
    await once(proxying, 'exit');
    expect(network.proxied).toEqual(['GET http://example.com/']);
  });

  test('when it opens an address, even one with another port of this machine', async () => {
    const before = network.packets.length;
    const refused = network.proxied.length;
    for (const address of ['http://www.example.com/', 'http://169.254.1.1/', 'http://127.0.0.1:2/']) {
      const args = [...quietArguments('http://127.0.0.1:3'), '--headless', '--disable-gpu', '--no-sandbox'];
      const browser = network.spawn(
        findBrowser() ?? '',
        [...args, `--user-data-dir=${join(folder, 'profile')}`, '--dump-dom', address],
        {env, stdio: 'ignore'},
      );
      await once(browser, 'exit');
      expect(network.proxied.slice(refused)).toContain(`GET ${address}`);
    }
    expect(network.packets.slice(before)).toEqual([]);
  });

  test.each([
    ['a movie', ['record', '--out', 'movie.webm', '--size', '640x360', '--speed', '4']],
    ['a still', ['still', '--at', '3', '--out', 'still.png']],
    ['visual measurements', ['run', '--visual']],
  ])('while it takes %s', async (_, args) => {
    const before = network.packets.length;
    const program = join(root, 'main/cli/interleave.mjs');
    const taking = network.spawn(process.execPath, [program, ...args], {cwd: folder, env});
    const said = taking.stderr === null ? '' : text(taking.stderr);
    const [code] = await once(taking, 'exit');
    expect(code, await said).toBe(0);
    expect(network.packets.slice(before)).toEqual([]);
  });

  test('while the window is open', async () => {
    const [before, refused] = [network.packets.length, network.proxied.length];
    let display: ChildProcess | undefined;
    const name = await openDisplay(child => {
      display = child;
    });
    const start = network.spawn(process.execPath, [join(root, 'main/setup/start.mjs')], {
      env: {...env, DISPLAY: name, ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'no Electron')},
      stdio: 'ignore',
    });
    // Chromium's optimization guide first asked after 11 s, and everything else within 2 s
    await new Promise(resolve => setTimeout(resolve, OPEN_MS));
    // the window is open: it has used its address, and has removed it from its profile
    expect(start.exitCode).toBe(null);
    const [profile = ''] = readdirSync(folder).filter(each => each.startsWith('interleave-'));
    const left = readdirSync(join(folder, profile));
    expect(left).toContain('Default');
    expect(left.filter(each => each.startsWith('interleave-'))).toEqual([]);
    start.kill('SIGTERM');
    await once(start, 'exit');
    display?.kill();
    expect(network.packets.slice(before)).toEqual([]);
    expect(network.proxied.slice(refused)).toEqual([]);
  });
});

const OPEN_MS = 20_000;
