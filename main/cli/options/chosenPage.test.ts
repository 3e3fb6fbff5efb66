import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {PageSource} from '../../../app/run/scenario/pageSource.ts';
import {readStory} from '../../../app/telling/story/story.ts';
import {PageError} from '../../pages/base/pageErrors.ts';
import {harOf, zipOf} from '../../pages/open/testing/archives.ts';
import {openPage} from '../../pages/openPage.ts';
import {BundleStore} from '../../pages/store/bundleStore.ts';
import {bundleMain, bundles} from '../../setup/bundle.mjs';
import {readArguments} from '../command.ts';
import {record} from '../commands/pictures/record.ts';
import {run} from '../commands/run/run.ts';
import {scenarioWithPage, storyWithPages} from './chosenPage.ts';

const fixtures = join(import.meta.dirname, '../../../fixtures/pages');
const picture = readFileSync(join(fixtures, 'gallery/logo.png'));
const html = new TextEncoder().encode('<img src=a.png><script></script>');
const site = [
  {path: 'index.html', bytes: html},
  {path: 'a.png', bytes: picture},
];
const context = {fixtures, module: pathToFileURL(join(bundles, 'gateway.mjs')), signal: new AbortController().signal};
let folder: string;
let server: Server;
let address: string;
let requests = 0;

beforeAll(async () => {
  await bundleMain();
  folder = mkdtempSync(join(tmpdir(), 'interleave-page-'));
  for (const {path, bytes} of site) writeFileSync(join(folder, path), bytes);
  writeFileSync(join(folder, 'a.zip'), await zipOf(site));
  writeFileSync(join(folder, 'a.har'), harOf(site));
  server = createServer((request, response) => {
    requests += 1;
    if (request.url === '/') response.setHeader('content-type', 'text/html').end(html);
    else response.end(picture);
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => {
  server.close();
  rmSync(folder, {recursive: true});
});

async function pageOf(...args: readonly string[]): Promise<PageSource> {
  return (await scenarioWithPage(readArguments(run, args), context)).page;
}

async function sizesOf(page: PageSource): Promise<readonly (number | undefined)[]> {
  return (await openPage(page, fixtures)).objects.map(({body}) => body?.length).slice(1);
}

const kept = (name: unknown) => ({kind: 'bundle', bundle: expect.stringMatching(/^[0-9a-f]{64}$/), name});

describe('--page', () => {
  test.each(['index.html', 'a.zip', 'a.har', 'a.png'])('opens %s and keeps it', async name => {
    const page = await pageOf('--page', join(folder, name));
    expect(page).toEqual(kept(name));
    expect(await sizesOf(page)).toEqual([picture.length]);
  });

  test('opens a stored page by its hash', async () => {
    const page = await pageOf('--page', join(folder, 'a.zip'));
    if (page.kind !== 'bundle') throw new Error(page.kind);
    expect(await pageOf('--page', page.bundle)).toEqual(page);
    await expect(pageOf('--page', '0'.repeat(64))).rejects.toThrow(/^page: 0+… is not stored on this machine$/);
  });

  test('fetches an address; a private one only with --allow-private', async () => {
    await expect(pageOf('--page', address)).rejects.toThrow(
      `${address} cannot be fetched: 127.0.0.1 is not a public address (--allow-private allows it)`,
    );
    expect(requests).toBe(0);
    const page = await pageOf('--page', address, '--allow-private');
    expect(page).toEqual(kept(address));
    const {leftOut} = await openPage(page, fixtures);
    expect(leftOut).toEqual(['1 script']);
    expect(await sizesOf(page)).toEqual([picture.length]);
  });

  test('is opened in a separate process; a damaged file gives the same error as in the engine', async () => {
    const bad = join(folder, 'bad.zip');
    writeFileSync(bad, 'PK');
    const refused = await pageOf('--page', bad).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PageError);
    expect((refused as Error).message).toMatch(/^page: bad\.zip is not a readable zip file: /);
    const settings = readArguments(run, ['--page', join(folder, 'a.zip')]);
    const nobody = {...context, module: pathToFileURL(join(folder, 'nobody.mjs'))};
    await expect(scenarioWithPage(settings, nobody)).rejects.toThrow(
      'page: a.zip cannot be opened: the gateway’s process ended: the page may be too large for it',
    );
    const ended = {...context, signal: AbortSignal.abort(new Error('enough'))};
    await expect(scenarioWithPage(settings, ended)).rejects.toThrow('enough');
  });

  test('leaves named pages, folders and unknown names to the engine', async () => {
    for (const name of ['gallery', folder, 'nothing-here', './a\0b']) {
      expect(await pageOf('--page', name)).toEqual({kind: 'named', name});
    }
  });

  test('means the built-in page even if there is a folder of the same name', async () => {
    const settings = readArguments(run, ['--page', 'e2e']);
    const named = mkdtempSync(join(folder, 'fixtures-'));
    mkdirSync(join(named, 'e2e'));
    const {page} = await scenarioWithPage(settings, {...context, fixtures: named});
    expect(page).toEqual({kind: 'named', name: 'e2e'});
  });

  test('replaces the scenario’s page, but `--set page=` replaces both', async () => {
    const [first, second] = [join(folder, 'a.zip'), join(folder, 'a.har')];
    expect(await pageOf('--scenario', 'n07-movie', '--page', first)).toEqual(kept('a.zip'));
    expect(await pageOf('--page', first, '--set', `page=${second}`)).toEqual(kept('a.har'));
    expect(await pageOf('--set', 'page.synthetic.objects=3')).toMatchObject({kind: 'synthetic'});
    await expect(pageOf('--page', '')).rejects.toThrow('page is "": must be');
  });

  test('is refused for a story; a page that several steps show is fetched once', async () => {
    expect(() => readArguments(record, ['--story', 'a', '--page', 'b', '--out', 'c.mp4'])).toThrow(
      '--story and --page exclude each other: the story decides this',
    );
    const step = {text: 'a', scenario: {page: address}};
    const read = readStory(Buffer.from(JSON.stringify({story: 1, title: 'a', steps: [step, step]})));
    if (!read.ok) throw new Error(read.problems[0].message);
    const before = requests;
    const {steps} = await storyWithPages(read.story, {isPrivateAllowed: true}, context);
    expect(steps.map(({scenario}) => scenario.page)).toEqual([kept(address), kept(address)]);
    expect(requests - before).toBe(2);
  });

  test('names the file of a page that was removed from the cache', async () => {
    const page = await pageOf('--page', join(folder, 'index.html'));
    if (page.kind !== 'bundle') throw new Error(page.kind);
    const gone = {...page, bundle: 'f'.repeat(64)};
    await expect(openPage(gone, fixtures)).rejects.toThrow('page: index.html is not stored on this machine');
    await expect(new BundleStore().open(gone.bundle)).rejects.toThrow('is not stored on this machine');
  });
});
