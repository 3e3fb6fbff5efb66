import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {DEFAULT_MOVIE, type Look} from '../app/telling/movie/options.ts';
import {record} from '../main/media/movie/record.ts';
import type {StagePage} from '../main/media/movie/stagePage.ts';
import {takeFilmstrip, takeTimeline} from '../main/media/movie/stills.ts';
import type {DevTools} from '../main/media/studio/studio.ts';
import {openStage, openStudio, type TestStudio} from './studio.ts';
import {DEMO_OF_SEED_1, whySkipped} from './window.ts';

// The look of a picture sets what counts as good, and which loss is explained.

describe.skipIf(whySkipped !== '')(`a picture's look${whySkipped}`, () => {
  let opened: TestStudio;
  let stage: StagePage;
  let devTools: DevTools;
  beforeAll(async () => {
    opened = await openStudio();
    ({stage, devTools} = await openStage(opened.studio));
  });
  afterAll(() => opened?.close());

  test('has its own thresholds, in the dots and in the sentence', async () => {
    const shown = async (thresholds: Look['thresholds']) => {
      await stage.open(DEMO_OF_SEED_1, movieOf({thresholds}));
      await stage.show(9e9);
      const states = await read<string>('.pane-dots [data-sight]', 'dataset.sight');
      const [sentence] = await read<string>('.sentence', 'textContent');
      return {good: states.filter(state => state === 'good').length, sentence};
    };
    const usual = await shown(DEFAULT_MOVIE.look.thresholds);
    const lax = await shown({recognisable: 0.01, good: 0.02});
    expect(lax.good).toBeGreaterThan(usual.good);
    expect(lax.sentence).not.toBe(usual.sentence);
  });

  test('explains a loss, on the pages and in words', async () => {
    await stage.open(DEMO_OF_SEED_1, movieOf({loss: {pane: 0, number: 2}}));
    await stage.show(9e9);
    expect(await read('.cause', 'textContent')).toEqual([
      expect.stringMatching(/^HTTP\/1.1 over TCP, classicloss 2 of \d+Lost at/),
    ]);
    await stage.openFilmstrip(DEMO_OF_SEED_1, movieOf({loss: {pane: 0, number: 1}}).look, [7e9, 9e9], 1);
    expect(await read('.filmstrip .cause', 'textContent')).toEqual([expect.stringMatching(/loss 1 of \d+Lost at/)]);
    expect((await read('.pane-cause', 'textContent')).length).toBeGreaterThan(0);
  });

  test('with a loss that the run does not have gives no picture', {tags: ['long']}, async () => {
    const {studio} = opened;
    const movie = movieOf({loss: {pane: 1, number: 999}});
    const none = /^there is no loss 999 in pane 2: it loses \d+ packets$/;
    const still = {scenario: DEMO_OF_SEED_1, look: movie.look, scale: 1};
    await expect(takeTimeline(studio, still, 9e9)).rejects.toThrow(none);
    const recording = {studio, movie, stages: 1, signal: new AbortController().signal, onProgress: () => {}};
    const out = () => Promise.reject(new Error('no file is wanted'));
    await expect(record({...recording, scenario: DEMO_OF_SEED_1, out})).rejects.toThrow(none);
    const {look} = movieOf({loss: {pane: 2, number: 1}});
    await expect(takeFilmstrip(studio, {...still, look}, [9e9])).rejects.toThrow(
      'there is no loss 1 in pane 3: the run has 2 panes',
    );
  });

  describe('of a long page in a folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'interleave-long-'));
    const lines = Array.from({length: 400}, (_, i) => `<p>Line ${i} of a long page</p>`).join('\n');
    writeFileSync(join(folder, 'index.html'), `<!doctype html><title>Long</title>${lines}`);
    const scenario = {page: folder, panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}]};
    afterAll(() => rmSync(folder, {recursive: true}));

    test('a filmstrip shows the first screen, or scrolls with the text', async () => {
      const partsOf = async (scroll: boolean) => {
        await stage.openFilmstrip(scenario, movieOf({scroll}).look, [1.5e9], 1);
        return read<string>('.filmstrip .pane-part', 'textContent');
      };
      const first = expect.stringMatching(/^shows 0–\d\d? % of the height$/);
      expect(await partsOf(false)).toEqual([first, first]);
      const later = expect.stringMatching(/^shows [1-9]\d?–\d+ % of the height$/);
      expect(await partsOf(true)).toEqual([later, later]);
    });

    test('no picture contains the path of the folder, and a page title replaces the folder name', async () => {
      const texts = async () => (await read<string>('.movie, .filmstrip, .card', 'textContent')).join();
      for (const pageTitle of [null, 'Our shop']) {
        await stage.open(scenario, movieOf({pageTitle}));
        await stage.show(-1e9);
        expect(await texts()).not.toContain(tmpdir());
        const name = pageTitle ?? 'interleave-long-';
        expect(await texts()).toContain(`the page “${name}`);
        expect(await texts()).toContain(`page ${name}`);
        await stage.openFilmstrip(scenario, movieOf({pageTitle}).look, [1e9], 1);
        expect(await texts()).not.toContain(tmpdir());
        expect(await texts()).toContain(name);
      }
    });
  });

  async function read<T>(selector: string, property: string): Promise<readonly T[]> {
    const expression = `[...document.querySelectorAll('${selector}')].map(each => each.${property})`;
    const answer = await devTools.send('Runtime.evaluate', {expression, returnByValue: true});
    return (answer as {readonly result: {readonly value: readonly T[]}}).result.value;
  }
});

function movieOf(part: Partial<Look>) {
  return {...DEFAULT_MOVIE, look: {...DEFAULT_MOVIE.look, ...part}};
}
