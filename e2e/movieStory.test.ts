// @module-tag long

import {mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import sharp from 'sharp';
import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest';
import {scenarioDocument} from '../app/run/scenario/document.ts';
import {DEFAULT_MOVIE, type MovieOptions} from '../app/telling/movie/options.ts';
import {parseStory, type Story} from '../app/telling/story/story.ts';
import {storyMovie} from '../app/telling/story/storyMovie.ts';
import {OutputFile} from '../main/files/outputFile.ts';
import {type RecordedStory, recordStory} from '../main/media/movie/record.ts';
import type {DevTools, Studio} from '../main/media/studio/studio.ts';
import {openStage, openStudio, type TestStudio} from './studio.ts';
import {whySkipped} from './window.ts';

// A story becomes one movie: pages of several runs, one after the other.

/** The fewest frames per second that show each step. */
const FPS = 4;

const movie: MovieOptions = {
  ...DEFAULT_MOVIE,
  look: {...DEFAULT_MOVIE.look, size: {width: 640, height: 360}},
  fps: FPS,
  format: 'webm',
};

const story = storyOf(
  {scenario: 'n07-movie', from: 6.5, to: 7.5, speed: 2, text: 'With loss'},
  {set: {'path.loss': 0}, from: 3, to: 3.25, view: {timeline: 'packets', zoom: [2, 6]}, text: 'And without'},
  {
    set: {page: 'gallery-baseline'},
    from: 20,
    highlight: {objects: ['lake.jpg']},
    speed: 20,
    text: 'Baseline',
  },
);

describe.skipIf(whySkipped !== '')(`a movie of a story${whySkipped}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-movie-story-'));
  let opened: TestStudio;
  let studio: Studio;
  let whole: RecordedStory;
  let measured: number;
  beforeAll(async () => {
    vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
    opened = await openStudio();
    studio = counting(opened.studio);
    whole = await take(story, movie, 'whole.webm', 2);
  });
  afterAll(async () => {
    await opened?.close();
    vi.unstubAllEnvs();
    rmSync(folder, {recursive: true, force: true});
  });

  test('plays each step from start to end at the step’s speed, then stands still for readers', () => {
    const hold = 1.5 * FPS;
    expect(whole.segments).toEqual([
      {scene: 0, fromNs: -1, speed: 0, frames: 3 * FPS},
      {scene: 0, fromNs: 6.5e9, speed: 2, frames: 2},
      {scene: 0, fromNs: 7.5e9, speed: 0, frames: hold},
      {scene: 1, fromNs: 3e9, speed: 1, frames: 1},
      {scene: 1, fromNs: 3.25e9, speed: 0, frames: hold},
      expect.objectContaining({scene: 2, fromNs: 20e9, speed: 20}),
      expect.objectContaining({scene: 2, speed: 0, frames: hold}),
      expect.objectContaining({scene: 2, speed: 0, frames: 5 * FPS}),
    ]);
    expect(whole.frames).toBe(whole.segments.reduce((sum, {frames}) => sum + frames, 0));
    expect(whole.pages).toHaveLength(2);
  });

  test('has its pages measured once, however many steps and stages show them', () => {
    expect(measured).toBe(2);
  });

  test('has the same frames again, from one stage or two', async () => {
    const again = await take(story, movie, 'again.webm', 1);
    expect(measured).toBe(2);
    expect(again.framesSha256).toBe(whole.framesSha256);
    const others = await take({...story, title: 'Another title'}, movie, 'other.webm', 1);
    expect(others.framesSha256).not.toBe(whole.framesSha256);
  });

  test('explains the loss that a step chooses, with the same frames from one stage or two', async () => {
    const short: MovieOptions = {...movie, title: false, results: false};
    const at = {scenario: 'n07-movie', from: 9, to: 9.25, speed: 1};
    const [none, first, again, second] = await Promise.all(
      [[], [1], [1], [2]].map(([number], k) => {
        const highlight = number === undefined ? {} : {highlight: {loss: {pane: 1, number}}};
        return take(storyOf({...at, ...highlight}), short, `loss-${k}.webm`, k === 2 ? 2 : 1);
      }),
    );
    expect(first?.framesSha256).toBe(again?.framesSha256);
    expect(new Set([none, first, second].map(each => each?.framesSha256)).size).toBe(3);
  });

  test('says what the loss of a step did, on the pictures and in words', async () => {
    const {stage, devTools} = await openStage(studio);
    const step = {scenario: 'n07-movie', highlight: {loss: {pane: 1, number: 1}}};
    const told = storyOf({...step, set: {'path.loss': {down: {packets: [20], applies: 'data'}, up: 0}}});
    const [run] = await stage.survey([scenarioDocument(told.steps[0]?.scenario ?? never())]);
    const planned = run?.ok ? storyMovie(told, movie, [run]) : never();
    const [scene = never()] = planned.ok ? planned.movie.scenes : [];
    await stage.openScene(scene, await stage.measure(run?.ok ? run.page.hash : ''));
    await stage.show(13e9);
    const textsOf = async (selector: string) => {
      const expression = `[...document.querySelectorAll('${selector}')].map(each => each.textContent)`;
      const options = {expression, returnByValue: true};
      const answer = await devTools.send('Runtime.evaluate', options);
      return (answer as {result: {value: string[]}}).result.value;
    };
    // neither the timeline nor the text tells anything that happens after t
    const lost = 'HTTP/1.1 over TCP, classicloss 1Lost at 6.67 s: 14 % of dunes.jpg; ';
    expect(await textsOf('.cause')).toEqual([`${lost}not repaired yet.`]);
    expect(await textsOf('.pane:first-child .pane-cause')).toEqual([
      'data lost',
      'waits for dunes.jpg',
      'waits for dunes.jpg',
      'waits for dunes.jpg',
    ]);
    await stage.close();
  });

  test('can also be an animation without cards', async () => {
    const gif: MovieOptions = {...movie, format: 'gif', fps: 2, title: false, results: false};
    const {frames, path} = await take(story, gif, 'slide.gif', 1);
    expect(frames).toBe(1 + 3 + 1 + 3 + 1 + 3);
    const {pages = 0} = await sharp(path).metadata();
    // a part that stands still is one picture
    expect(pages).toBeGreaterThan(5);
    expect(pages).toBeLessThanOrEqual(frames);
  });

  test.each<[string, readonly object[], string]>([
    [
      'starts after the end of its run',
      [
        {scenario: 'n07-movie', text: 'a'},
        {from: 5000, text: 'b'},
      ],
      "steps[1].from is 5000: must be before the run's end, 29.",
    ],
    [
      'points at an object that its page does not have',
      [{scenario: 'n07-movie', highlight: {objects: ['sun.jpg']}, text: 'a'}],
      'steps[0].highlight.objects[0] is "sun.jpg": must be an object of the page',
    ],
    [
      'explains a loss that its run does not have',
      [
        {scenario: 'n07-movie', text: 'a'},
        {highlight: {loss: {pane: 1, number: 99}}, text: 'b'},
      ],
      'step 2: steps[1].highlight.loss.number is 99: must be a loss of pane 1, which loses 6 packets',
    ],
    [
      'has a page that is not there',
      [
        {scenario: 'n07-movie', text: 'a'},
        {set: {page: 'galery'}, text: 'b'},
      ],
      'step 2: ',
    ],
  ])('says which step %s, and leaves no file', async (_, steps, message) => {
    const before = readdirSync(folder);
    await expect(take(storyOf(...steps), movie, 'wrong.webm', 1)).rejects.toThrow(message);
    expect(readdirSync(folder)).toEqual(before);
  });

  test('that is given up in its second step leaves no file', async () => {
    const before = readdirSync(folder);
    const task = new AbortController();
    const taking = take(story, movie, 'stopped.webm', 1, {
      signal: task.signal,
      onFrame: done => {
        if (done > 3 * FPS + 2 + 1.5 * FPS) task.abort(new Error('enough'));
      },
    });
    await expect(taking).rejects.toThrow('enough');
    expect(readdirSync(folder)).toEqual(before);
  });

  /** Returns a studio that counts the measurements in its pages. */
  function counting(studio: Studio): Studio {
    measured = 0;
    const openPage = async (path: string): Promise<DevTools> => {
      const devTools = await studio.openPage(path);
      const send: DevTools['send'] = (method, params) => {
        if (JSON.stringify(params ?? {}).includes('stage.measure(')) measured += 1;
        return devTools.send(method, params);
      };
      return {...devTools, send};
    };
    return {...studio, openPage};
  }

  function take(
    story: Story,
    movie: MovieOptions,
    name: string,
    stages: number,
    {signal = new AbortController().signal, onFrame = (_done: number) => {}} = {},
  ): Promise<RecordedStory> {
    const out = () => OutputFile.create(join(folder, name));
    return recordStory({studio, story, movie, stages, signal, out, onProgress: onFrame});
  }
});

function never(): never {
  throw new Error('not there');
}

function storyOf(...steps: readonly object[]): Story {
  const parsed = parseStory({story: 1, title: 'A test', steps});
  if (!parsed.ok) throw new Error(parsed.problems[0].message);
  return parsed.story;
}
