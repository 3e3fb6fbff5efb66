// @module-tag long
import {mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {DEFAULT_MOVIE, type MovieOptions} from '../app/telling/movie/options.ts';
import {OutputFile} from '../main/files/outputFile.ts';
import {type Recorded, record} from '../main/media/movie/record.ts';
import type {DevTools, Studio} from '../main/media/studio/studio.ts';
import {openStudio, type TestStudio} from './studio.ts';
import {whySkipped} from './window.ts';

const gif: MovieOptions = {
  ...DEFAULT_MOVIE,
  look: {...DEFAULT_MOVIE.look, size: {width: 640, height: 360}},
  format: 'gif',
  fps: 4,
  fromS: 0,
  toS: 1,
  title: false,
  results: false,
};

describe.skipIf(whySkipped !== '')(`a movie of a folder that is edited meanwhile${whySkipped}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-movie-snapshot-'));
  const page = join(folder, 'page');
  let opened: TestStudio;
  let studio: Studio;
  beforeAll(async () => {
    mkdirSync(page);
    opened = await openStudio();
    studio = opened.studio;
  });
  afterAll(async () => {
    await opened?.close();
    rmSync(folder, {recursive: true, force: true});
  });

  test('shows in all frames the page as it was opened, whichever stage takes them', async () => {
    write('before', 1003);
    const wanted = await take(studio, 1, 'wanted.gif');
    const edited = await take(editedAfterTheFirst(), 3, 'edited.gif');
    expect(edited.page).toEqual(wanted.page);
    expect(edited.framesSha256).toBe(wanted.framesSha256);
    const after = await take(studio, 3, 'after.gif');
    expect(after.page.hash).not.toBe(wanted.page.hash);
    expect(after.framesSha256).not.toBe(wanted.framesSha256);
    expect(readdirSync(folder).sort()).toEqual(['after.gif', 'edited.gif', 'page', 'wanted.gif']);
  });

  /** Returns a studio in which the folder changes as soon as a stage has its run. */
  function editedAfterTheFirst(): Studio {
    const openPage = async (path: string): Promise<DevTools> => {
      const devTools = await studio.openPage(path);
      return {
        send: async (method, params = {}) => {
          const answer = await devTools.send(method, params);
          const {expression = ''} = params as {expression?: string};
          if (expression.includes('window.stage.survey(')) write('after', 30_003);
          return answer;
        },
        close: () => devTools.close(),
      };
    };
    return {...studio, openPage};
  }

  function write(text: string, bytes: number): void {
    writeFileSync(join(page, 'index.html'), `<h1>${text}</h1><script src=a.js></script>`);
    writeFileSync(join(page, 'a.js'), new Uint8Array(bytes));
  }

  function take(from: Studio, stages: number, name: string): Promise<Recorded> {
    return record({
      studio: from,
      stages,
      movie: gif,
      scenario: {page, path: {rateBps: 1e6, rttMs: 100}, timeLimitMs: 60_000},
      out: () => OutputFile.create(join(folder, name)),
      onProgress: () => undefined,
      signal: new AbortController().signal,
    });
  }
});
