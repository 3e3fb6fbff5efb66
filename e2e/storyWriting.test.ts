import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Page} from 'playwright-core';
import {afterAll, afterEach, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {readStory, type Story} from '../app/telling/story/story.ts';
import {program} from '../main/files/program.ts';
import {leaveControls, openUnmeasuredWindow, seek, sharedBrowser, type TestWindow, whySkipped} from './window.ts';

// Stories, opened from files and written in the window.

const folder = mkdtempSync(join(tmpdir(), 'interleave-writing-'));
const kept = join(folder, 'stories');

describe.skipIf(whySkipped !== '')(`writing a story${whySkipped}`, () => {
  let window: TestWindow;
  let page: Page;
  beforeAll(() => {
    process.env['INTERLEAVE_DATA'] = folder;
    process.env['INTERLEAVE_MOVIES'] = folder;
  });
  beforeEach(async () => {
    window = await openUnmeasuredWindow();
    page = window.page;
  });
  afterEach(async () => {
    await window?.close();
    rmSync(kept, {recursive: true, force: true});
  });
  afterAll(() => {
    delete process.env['INTERLEAVE_DATA'];
    delete process.env['INTERLEAVE_MOVIES'];
    rmSync(folder, {recursive: true, force: true});
  });

  test('a story is made from shown runs, edited, undone, kept over F5 and a restart, and saved', async () => {
    await seek(page, 3);
    await page.keyboard.press('s');
    await press('New story from the run on screen');
    await page.getByLabel('title of the story').fill('Mine');
    await says(0).fill('First');
    // the next step continues the same run
    await seek(page, 7);
    await press('Add the run on screen as a step');
    await says(1).fill('Then');
    await says(1).blur();
    // the step says what the edit of the scenario has changed
    await page.keyboard.press('n');
    await page.locator('html[data-state=ready]').waitFor();
    await page.keyboard.press('3');
    await press('Add the run on screen as a step');
    expect(await texts()).toEqual(['First', 'Then', '']);
    expect(await page.locator('.story-run').allTextContents()).toEqual([
      '56 kbit/s, RTT 1080 ms, 4.3 % of packets lost in both directions',
      'the same run',
      'seed=174',
    ]);
    await page.getByLabel('move up').nth(2).click();
    expect(await texts()).toEqual(['First', '', 'Then']);
    // each change is one step to undo, and text that is typed without a pause is one change
    await undo(1);
    expect(await texts()).toEqual(['First', 'Then', '']);
    await undo(2);
    expect(await texts()).toEqual(['First', '']);
    await page.getByTitle('redo, in this panel (Ctrl Shift Z)').click();
    await page.getByTitle('redo, in this panel (Ctrl Shift Z)').click();
    expect(await texts()).toEqual(['First', 'Then', '']);

    await page.reload();
    await page.locator('html[data-state=ready]').waitFor();
    expect(await texts()).toEqual(['First', 'Then', '']);
    expect(await page.locator('.story-place').textContent()).toBe('step 2 of 3');

    const waiting = page.waitForEvent('download');
    await press('Save story');
    const download = await waiting;
    expect(download.suggestedFilename()).toBe('mine.story.json');
    const saved = readFileSync(await download.path());
    expect(JSON.parse(saved.toString())).toMatchObject({program: program(), title: expect.anything()});
    const story = read(saved);
    expect(story.steps.map(({fromS, toS}) => [fromS, toS])).toEqual([
      [0, 3],
      [3, 7],
      [0, 7],
    ]);
    expect(story.steps.map(({view}) => view.timeline)).toEqual(['percent', 'percent', 'waterfall']);
    expect(story.steps.map(({scenario}) => scenario.seed)).toEqual([173, 173, 174]);

    // what was written just before F5 is kept as well
    await expect.poll(() => keptStory().steps.length).toBe(3);

    // the program ends at once, and is started again
    await window.close();
    window = await openUnmeasuredWindow();
    page = window.page;
    expect(await page.locator('.story-bar').count()).toBe(0);
    await page.keyboard.press('s');
    await page.getByRole('button', {name: 'Mine', exact: true}).click();
    expect(await texts()).toEqual(['First', 'Then', '']);
  });

  test('a step’s times are typed, and impossible ones are refused', {tags: ['long']}, async () => {
    await seek(page, 3);
    await page.keyboard.press('s');
    await press('New story from the run on screen');
    const [from, to] = [0, 1].map(field => page.locator('.story-times input').nth(field));
    if (from === undefined || to === undefined) throw new Error('two fields');
    await from.fill('4');
    expect(await from.getAttribute('aria-invalid')).toBe('true');
    await from.press('Enter');
    expect(await from.inputValue()).toBe('0');
    await to.fill('');
    await to.press('Enter');
    await from.fill('2.5');
    await from.press('Enter');
    await expect.poll(() => keptStory().steps[0]).toMatchObject({fromS: 2.5, toS: null});
  });

  test('a wrong file is refused with the reason, and a correct one is opened', async () => {
    const file = join(folder, 'talk.story.json');
    const steps = [
      {scenario: 'n07-movie', to: 2, text: 'One'},
      {from: 2, to: 1, text: 'Two'},
    ];
    writeFileSync(file, JSON.stringify({story: 1, title: 'Talk', steps}));
    await page.locator('#open-file').setInputFiles(file);
    await page.getByText('steps[1].to is 1: must be after the start, 2').waitFor();
    expect(await page.locator('.story-bar').count()).toBe(0);
    writeFileSync(file, JSON.stringify({story: 1, title: 'Talk', steps: steps.slice(0, 1)}));
    await page.locator('#open-file').setInputFiles(file);
    await page.locator('.story-text').filter({hasText: 'One'}).waitFor();
    await page.getByRole('button', {name: 'Dismiss'}).waitFor({state: 'detached'});
  });

  test('a step that begins after its run’s end is reported, and the story goes on', {tags: ['long']}, async () => {
    const file = join(folder, 'late.story.json');
    const steps = [
      {scenario: 'n07-movie', from: 4000, text: 'Late'},
      {from: 1, to: 1.2, text: 'Early'},
    ];
    writeFileSync(file, JSON.stringify({story: 1, title: 'Late', steps}));
    await page.locator('#open-file').setInputFiles(file);
    await page.getByText("steps[0].from is 4000: must be before the run's end").waitFor();
    await page.keyboard.press('PageDown');
    await page.locator('.story-text').filter({hasText: 'Early'}).waitFor();
    await page.getByRole('button', {name: 'play', exact: true}).waitFor();
    expect(await page.getByLabel('t in seconds').inputValue()).toBe('1.20');
  });

  test('space pauses and continues a step, which still stops at its end', {
    tags: ['long'],
  }, async () => {
    const file = join(folder, 'pause.story.json');
    const steps = [{scenario: 'n07-movie', from: 2, to: 3, speed: 0.5, text: 'Slow'}];
    writeFileSync(file, JSON.stringify({story: 1, title: 'Pause', steps}));
    await page.locator('#open-file').setInputFiles(file);
    await page.getByRole('button', {name: 'pause'}).waitFor();
    await leaveControls(page);
    await page.keyboard.press(' ');
    await page.getByRole('button', {name: 'play', exact: true}).waitFor();
    await page.keyboard.press(' ');
    await page.getByRole('button', {name: 'pause'}).waitFor();
    await page.getByRole('button', {name: 'play', exact: true}).waitFor();
    expect(await page.getByLabel('t in seconds').inputValue()).toBe('3.00');
    await page.keyboard.press(' ');
    await expect.poll(async () => Number(await page.getByLabel('t in seconds').inputValue())).toBeGreaterThan(3);
  });

  test('the next step’s run is computed in advance', {tags: ['long']}, async () => {
    const file = join(folder, 'ahead.story.json');
    const steps = [
      {scenario: 'n07-movie', to: 0.5, text: 'One'},
      {set: {seed: 9}, to: 0.5, text: 'Two'},
    ];
    writeFileSync(file, JSON.stringify({story: 1, title: 'Ahead', steps}));
    const asked: string[] = [];
    page.on('websocket', socket => socket.on('framesent', ({payload}) => asked.push(String(payload))));
    await page.reload();
    await page.locator('html[data-state=ready]').waitFor();
    await page.locator('#open-file').setInputFiles(file);
    const ofNext = () => asked.filter(each => each.includes('"load"') && each.includes('"seed":9')).length;
    await expect.poll(ofNext).toBe(2);
    // a step that still plays would be finished first
    await page.getByRole('button', {name: 'play', exact: true}).waitFor();
    await page.keyboard.press('PageDown');
    await page.locator('.honesty, .heading').filter({hasText: 'seed 9'}).first().waitFor();
    expect(ofNext()).toBe(2);
  });

  test('a story is recorded as a whole', {tags: ['long']}, async () => {
    const file = join(folder, 'short.story.json');
    const steps = [
      {scenario: 'n07-movie', from: 6, to: 6.2, text: 'One'},
      {set: {seed: 2}, from: 6, to: 6.2, text: 'Two'},
    ];
    writeFileSync(file, JSON.stringify({story: 1, title: 'Short', steps}));
    await page.locator('#open-file').setInputFiles(file);
    await page.locator('.story-text').filter({hasText: 'One'}).waitFor();
    await page.keyboard.press('r');
    await page.getByLabel('the whole story ‘Short’').waitFor();
    for (const [label, value] of [
      ['format', 'webm'],
      ['size', '640x360'],
      ['frames a second', '24'],
    ] as const)
      await page.getByLabel(label, {exact: true}).selectOption(value);
    for (const label of ['title card', 'results card']) await page.getByLabel(label, {exact: true}).uncheck();
    await page.getByLabel('file', {exact: true}).fill('short');
    await page.locator('.record').getByRole('button', {name: 'Record'}).click();
    // twice 5 frames that play and 36 that stand still
    await page.getByText(/Recording frame \d+ of 82/).waitFor();
    await page.getByText(`Recorded ${join(folder, 'short.webm')}`).waitFor();
  });

  test('stored stories that are damaged are reported, and stay', {tags: ['long']}, async () => {
    const story = {story: 1, title: 'Whole', steps: [{scenario: 'n07-movie', to: 1, text: 'a'}]};
    mkdirSync(kept);
    const writeDraft = (name: string, text: string) => writeFileSync(join(kept, name), text);
    writeDraft('a.1.json', JSON.stringify({writer: 'w', story}));
    writeDraft('b.1.json', JSON.stringify({writer: 'w', story: {title: 'Half'}}));
    writeDraft('c.1.json', '{');
    const context = await (await sharedBrowser()).newContext();
    const other = await context.newPage();
    await other.goto(window.shell.newAddress());
    await other.locator('html[data-state=ready]').waitFor();
    await other.keyboard.press('s');
    await other.getByRole('button', {name: 'Whole', exact: true}).waitFor();
    // after the stories of the program: the stored ones that can be read, and then those that cannot
    const lists = await other.locator('.stories ul').evaluateAll(all => all.map(list => list.childElementCount));
    expect(lists.slice(1)).toEqual([1, 2]);
    await other.locator('.notice').filter({hasText: '2 stories written here cannot be read'}).waitFor();
    await context.close();
  });

  test('if two windows write the same story, the one that writes last is warned, and neither loses its text', {
    tags: ['long'],
  }, async () => {
    await page.keyboard.press('s');
    await press('New story from the run on screen');
    await page.getByLabel('title of the story').fill('Shared');
    await says(0).fill('First');
    await expect.poll(() => keptStory().steps[0]?.text).toBe('First');
    // another process, as if the program were started twice
    const other = await openUnmeasuredWindow();
    try {
      await other.page.keyboard.press('s');
      await other.page.getByRole('button', {name: 'Shared', exact: true}).click();
      const theirs = other.page.getByLabel('what the step says').first();
      await theirs.fill('Theirs');
      await expect.poll(() => keptStory().steps[0]?.text).toBe('Theirs');
      await says(0).fill('Mine');
      await page.getByText('‘Shared’ was changed in another window, too').waitFor();
      const texts = () =>
        readdirSync(kept).map(name => {
          const {story} = JSON.parse(readFileSync(join(kept, name), 'utf8')) as {story: object};
          return read(Buffer.from(JSON.stringify(story))).steps[0]?.text;
        });
      await expect.poll(() => texts().sort()).toEqual(['Mine', 'Theirs']);
      // each continues with its own copy, also after F5
      await says(0).fill('Mine, on');
      await theirs.fill('Theirs, on');
      await expect.poll(() => texts().sort()).toEqual(['Mine, on', 'Theirs, on']);
      await page.reload();
      await page.locator('html[data-state=ready]').waitFor();
      await says(0).fill('Mine, again');
      await expect.poll(() => texts().sort()).toEqual(['Mine, again', 'Theirs, on']);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.keyboard.press('s');
      await expect.poll(() => page.getByRole('button', {name: 'Shared', exact: true}).count()).toBe(2);
    } finally {
      await other.close();
    }
  });

  test('the 21st story: no other story is deleted until the user agrees', {tags: ['long']}, async () => {
    mkdirSync(kept);
    for (let k = 1; k <= 20; k++) {
      const story = {story: 1, title: `Story ${k}`, steps: [{scenario: 'n07-movie', to: 1, text: 'a'}]};
      const file = join(kept, `s${k}.1.json`);
      writeFileSync(file, JSON.stringify({writer: 'w', story}));
      utimesSync(file, k, k);
    }
    await page.reload();
    await page.locator('html[data-state=ready]').waitFor();
    await page.keyboard.press('s');
    await press('New story from the run on screen');
    const notice = page.getByText('‘A new story’ is not stored: no more than 20 stories can be stored here');
    await notice.waitFor();
    await says(0).fill('Mine');
    expect(readdirSync(kept)).toHaveLength(20);
    expect(readdirSync(kept)).toContain('s1.1.json');
    await press('Throw away the oldest, ‘Story 1’, and store the new one');
    await expect.poll(() => readdirSync(kept)).not.toContain('s1.1.json');
    await expect.poll(() => readdirSync(kept).filter(name => name.endsWith('.json')).length).toBe(20);
    await notice.waitFor({state: 'detached'});
  });

  const says = (k: number) => page.getByLabel('what the step says').nth(k);
  const texts = () =>
    page
      .getByLabel('what the step says')
      .evaluateAll(fields => fields.map(field => (field as HTMLTextAreaElement).value));
  const press = (name: string) => page.getByRole('button', {name}).click();
  async function undo(times: number): Promise<void> {
    for (let k = 0; k < times; k++) await page.getByTitle('undo, in this panel (Ctrl Z)').click();
  }
});

function read(bytes: Uint8Array): Story {
  const story = readStory(bytes);
  if (!story.ok) throw new Error(story.problems[0].message);
  return story.story;
}

/** The only stored story. */
function keptStory(): Story {
  const [name = ''] = readdirSync(kept).filter(each => each.endsWith('.json'));
  const {story} = JSON.parse(readFileSync(join(kept, name), 'utf8')) as {story: object};
  return read(Buffer.from(JSON.stringify(story)));
}
