import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {DEFAULT_MOVIE, type Look} from '../app/movie/options.ts';
import {record} from '../main/movie/record.ts';
import type {StagePage} from '../main/movie/stagePage.ts';
import {takeFilmstrip, takeTimeline} from '../main/movie/stills.ts';
import type {DevTools} from '../main/movie/studio.ts';
import {openStage, openStudio, type TestStudio} from './studio.ts';
import {DEMO_OF_SEED_1, whySkipped} from './window.ts';

// What a picture counts as good, and the loss that it explains, are its look's.

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
      expect.stringMatching(/^TCP classicloss 2 of \d+Lost at/),
    ]);
    await stage.openFilmstrip(DEMO_OF_SEED_1, movieOf({loss: {pane: 0, number: 1}}).look, [7e9, 9e9], 1);
    expect(await read('.filmstrip .cause', 'textContent')).toEqual([
      expect.stringMatching(/loss 1 of \d+Lost at/),
    ]);
    expect((await read('.pane-cause', 'textContent')).length).toBeGreaterThan(0);
  });

  test('that explains a loss which its run does not have gives none', async () => {
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

  async function read<T>(selector: string, property: string): Promise<readonly T[]> {
    const expression = `[...document.querySelectorAll('${selector}')].map(each => each.${property})`;
    const answer = await devTools.send('Runtime.evaluate', {expression, returnByValue: true});
    return (answer as {readonly result: {readonly value: readonly T[]}}).result.value;
  }
});

function movieOf(part: Partial<Look>) {
  return {...DEFAULT_MOVIE, look: {...DEFAULT_MOVIE.look, ...part}};
}
