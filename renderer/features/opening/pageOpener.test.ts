import {expect, test} from 'vitest';
import {
  type AboutPage,
  type Host,
  LARGEST_PIECE_BYTES,
  MOST_SENT_BYTES,
  type OpenedPageAnswer,
  type OpeningProgress,
} from '../../../app/host/contract.ts';
import type {BundleSource} from '../../../app/run/scenario/pageSource.ts';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
import {KeptPages} from '../../session/pages.ts';
import {asRecorded, PageOpener, type Show} from './pageOpener.ts';

const pageOf = (name: string): BundleSource => ({bundle: name.repeat(64).slice(0, 64), name});
const settle = () => new Promise(resolve => setTimeout(resolve));

/** A host whose openings wait until the test answers them, in the order of the requests. */
function fake(show: Show = () => undefined) {
  const asked: unknown[][] = [];
  const pieces: [path: string, bytes: number][] = [];
  const waiting: ((answer: OpenedPageAnswer) => void)[] = [];
  const shown: BundleSource[] = [];
  const looks = new Map<string, (about: AboutPage) => void>();
  let opened = 0;
  let sent = (): unknown => undefined;
  const onPiece = (listener: typeof sent): void => {
    sent = listener;
  };
  let onProgress = (_: OpeningProgress): void => {};
  const wait = () => new Promise<OpenedPageAnswer>(resolve => waiting.push(resolve));
  const host = {
    on: (_event: string, listener: typeof onProgress) => {
      onProgress = listener;
      return () => undefined;
    },
    openAddress: (...args: unknown[]) => {
      asked.push(args);
      return wait();
    },
    sendPiece: async (_opening: string, path: string, base64: string) => {
      pieces.push([path, atob(base64).length]);
      sent();
    },
    openSent: () => {
      opened += 1;
      return wait();
    },
    cancelOpening: async (opening: string) => void asked.push(['cancel', opening]),
    keptPages: async () => shown.map(page => ({page, bytes: 1})),
    aboutPage: (bundle: string) => new Promise(resolve => looks.set(bundle, resolve)),
  } as unknown as Host;
  const pages = new KeptPages(host);
  const opener = new PageOpener(host, pages, (page, isRecorded) => {
    shown.push(page);
    show(page, isRecorded);
  });
  const answer = async (answer: OpenedPageAnswer): Promise<void> => {
    waiting.shift()?.(answer);
    await settle();
  };
  const tell = (progress: OpeningProgress) => onProgress(progress);
  const answerAbout = (name: string): void => {
    const page = pageOf(name);
    looks.get(page.bundle)?.({page, date: '', notLoaded: [], leftOut: []});
  };
  const others = {answerAbout, onPiece, opened: () => opened};
  return {
    ...others,
    opener,
    pages,
    asked,
    pieces,
    shown,
    answer,
    tell,
    progress: () => opener.store.getState().progress,
  };
}

const refused = (isPrivate: boolean): OpenedPageAnswer => ({
  ok: false,
  problems: [],
  message: 'no',
  ...(isPrivate ? {isPrivate} : {}),
});

test('a page is shown when it is open, and the list of kept pages is read again', async () => {
  const {opener, pages, shown, answer, progress} = fake();
  opener.openAddress('a');
  expect(progress()).toEqual({kind: 'busy', name: 'a', done: 0, all: 0, unit: 'objects'});
  await answer({ok: true, page: pageOf('a')});
  expect(shown).toEqual([pageOf('a')]);
  expect(progress()).toEqual({kind: 'idle'});
  expect(pages.store.getState()).toEqual([{page: pageOf('a'), bytes: 1}]);
});

test('the progress is shown, but not the progress of another window’s opening', () => {
  const {opener, asked, tell, progress} = fake();
  opener.openAddress('a');
  const [[opening]] = asked as [[string]];
  tell({opening, done: 2, all: 3});
  tell({opening: 'of another', done: 7, all: 8});
  expect(progress()).toMatchObject({done: 2, all: 3});
});

test('only the last of several requests is shown, and the others are cancelled', async () => {
  const {opener, asked, shown, answer} = fake();
  opener.openAddress('a');
  opener.openAddress('b');
  expect(asked.map(([what]) => what)).toEqual([asked[0]?.[0], 'cancel', asked[2]?.[0]]);
  expect(asked[1]).toEqual(['cancel', asked[0]?.[0]]);
  await answer({ok: true, page: pageOf('a')});
  await answer({ok: true, page: pageOf('b')});
  expect(shown).toEqual([pageOf('b')]);
});

test('a cancelled opening is neither shown nor reported as failed', async () => {
  const {opener, shown, answer, progress} = fake();
  opener.openAddress('a');
  opener.cancel();
  await answer(refused(false));
  expect(progress()).toEqual({kind: 'idle'});
  opener.openAddress('a');
  opener.cancel();
  await answer({ok: true, page: pageOf('a')});
  expect(shown).toEqual([]);
});

test('a private address can be allowed, only for this page and only for this use of the page', async () => {
  const {opener, asked, shown, answer, progress} = fake();
  const own: BundleSource[] = [];
  opener.openAddress('a', page => own.push(page));
  await answer(refused(true));
  const failed = progress();
  expect(failed).toMatchObject({kind: 'failed', message: 'a cannot be opened: no'});
  if (failed.kind === 'failed') failed.allow?.();
  await answer({ok: true, page: pageOf('a')});
  opener.openAddress('b');
  expect(asked.map(([, , isPrivateAllowed]) => isPrivateAllowed)).toEqual([false, true, false]);
  expect([own, shown]).toEqual([[pageOf('a')], []]);
});

test('Chromium loads pages as long as the user wants it, and the progress then counts requests', async () => {
  const {opener, asked, answer, progress} = fake();
  const shown: [string, boolean | undefined][] = [];
  const show = ({name}: BundleSource, isRecorded?: boolean) => void shown.push([name, isRecorded]);
  opener.chooseBrowser(true);
  opener.openAddress('a', show);
  expect(progress()).toMatchObject({kind: 'busy', unit: 'requests'});
  // the page is still loaded by Chromium when its private address is allowed
  await answer(refused(true));
  const failed = progress();
  if (failed.kind === 'failed') failed.allow?.();
  await answer({ok: true, page: pageOf('a'), isRecorded: true});
  opener.chooseBrowser(false);
  opener.openAddress('b', show);
  expect(progress()).toMatchObject({unit: 'objects'});
  await answer({ok: true, page: pageOf('b')});
  expect(asked.map(([, , , usesBrowser]) => usesBrowser)).toEqual([true, true, false]);
  expect(shown).toEqual([
    ['a', true],
    ['b', undefined],
  ]);
});

test('a recorded page that is opened again is shown as recorded', () => {
  const shown: unknown[][] = [];
  const {opener} = fake((...args) => shown.push(args));
  opener.openKept({page: pageOf('a'), bytes: 1, isRecorded: true});
  opener.openKept({page: pageOf('b'), bytes: 1});
  expect(shown).toEqual([
    [pageOf('a'), true],
    [pageOf('b'), undefined],
  ]);
});

test('a recorded page is loaded as in Chromium, unless the scenario has another browser or is live', () => {
  const scenario = (document: object) => {
    const parsed = parseScenario(document);
    if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
    return parsed.scenario;
  };
  expect(asRecorded(scenario({discovery: 'complete'}))).toMatchObject({browser: 'chromium', discovery: 'streaming'});
  const firefox = scenario({browser: 'firefox'});
  expect(asRecorded(firefox)).toBe(firefox);
  const live = scenario({path: {live: '127.0.0.1:80'}});
  expect(asRecorded(live)).toBe(live);
});

test('a page can be allowed only if it is refused because of a private address', async () => {
  const {opener, answer, progress} = fake();
  opener.openAddress('a');
  await answer(refused(false));
  expect(progress()).toEqual({kind: 'failed', message: 'a cannot be opened: no', allow: null});
});

test('files are sent in pieces that the host accepts, and an empty file is sent, too', async () => {
  const {opener, pieces, shown, answer} = fake();
  const large = new Blob([new Uint8Array(LARGEST_PIECE_BYTES + 5)]);
  opener.openFiles('two', [
    {path: 'a/large', file: large},
    {path: 'a/empty', file: new Blob([])},
  ]);
  await expect.poll(() => pieces).toHaveLength(3);
  expect(pieces).toEqual([
    ['a/large', LARGEST_PIECE_BYTES],
    ['a/large', 5],
    ['a/empty', 0],
  ]);
  await settle();
  await answer({ok: true, page: pageOf('two')});
  expect(shown).toEqual([pageOf('two')]);
});

test.each([1, 2, 3])('after a cancellation at piece %i nothing more is sent, and no page is made', async count => {
  const {opener, pieces, opened, onPiece, progress} = fake();
  const large = new Blob([new Uint8Array(LARGEST_PIECE_BYTES + 5)]);
  onPiece(() => pieces.length === count && opener.cancel());
  opener.openFiles('two', [
    {path: 'a', file: large},
    {path: 'b', file: new Blob([])},
  ]);
  await expect.poll(() => pieces).toHaveLength(count);
  await settle();
  expect(progress()).toEqual({kind: 'idle'});
  onPiece(() => undefined);
  // meanwhile the first opening would have sent its remaining pieces
  opener.openFiles('one', [{path: 'c', file: large}]);
  await expect.poll(opened).toBe(1);
  expect(pieces.map(([path]) => path)).toEqual([...['a', 'a', 'b'].slice(0, count), 'c', 'c']);
});

test('what is left out belongs to the page on screen, even if the host answers late about another page', async () => {
  const {opener, answerAbout} = fake();
  const look = (name: string) => opener.readAbout({kind: 'bundle', ...pageOf(name)});
  const about = () => opener.store.getState().about?.page.name ?? null;
  const all = [look('a'), look('b')];
  answerAbout('b');
  answerAbout('a');
  await Promise.all(all);
  expect(about()).toBe('b');
  const late = look('a');
  await opener.readAbout({kind: 'named', name: 'gallery'});
  answerAbout('a');
  await late;
  expect(about()).toBeNull();
});

test('files beyond the host’s limit are not sent', async () => {
  const {opener, pieces, progress} = fake();
  const file = {size: MOST_SENT_BYTES + 1} as Blob;
  opener.openFiles('a', [{path: 'a', file}]);
  await settle();
  expect(progress()).toMatchObject({
    message: expect.stringMatching(/^a cannot be opened: it has 100000001 b/),
  });
  expect(pieces).toEqual([]);
});
