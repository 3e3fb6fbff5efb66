// @vitest-environment jsdom
import {act} from 'react';
import {createRoot} from 'react-dom/client';
import {afterEach, expect, test, vi} from 'vitest';
import type {Host} from '../../../app/host/contract.ts';
import type {Page, PageSnapshot} from '../../../app/page/page.ts';
import type {PageQuality} from '../../../app/run/quality/pageQuality.ts';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
import {SessionProvider} from '../../session/context.tsx';
import {Player} from '../../session/player.ts';
import {Session} from '../../session/session.ts';
import {tcpLoad} from '../timeline/testing/handmadeLoads.ts';

const twinOf = vi.hoisted(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  // jsdom has no modal dialogs and no canvases
  Object.assign(HTMLDialogElement.prototype, {close: () => undefined, showModal: () => undefined});
  Object.assign(HTMLCanvasElement.prototype, {getContext: () => null});
  return vi.fn<(page: Page) => Promise<Page>>();
});
vi.mock('./baselineTwin.ts', () => ({baselineTwin: twinOf}));
vi.mock('./measureQuality.ts', () => ({measureQuality: async () => QUALITY}));
const {QualityDialog} = await import('./QualityDialog.tsx');

const parsed = parseScenario({panes: [{pipeline: 'tcp'}]});
if (!parsed.ok) throw new Error('this is a valid scenario');
const {scenario} = parsed;
// two pictures of this page are loaded
const trace = tcpLoad();

const picture = {kind: 'picture', area: 10_000, curve: [[1000, 1]], scanEnds: [1000]} as const;
const QUALITY: PageQuality = {
  screen: {width: 100, height: 100},
  objects: [null, picture, picture, null],
};
const page: PageSnapshot = {
  name: 'a page',
  objects: trace.objects.map(({url}) => ({url, contentType: 'image/svg+xml', body: new Uint8Array(1000)})),
  headerBytes: 0,
  requestBytes: 0,
  hash: 'h',
  leftOut: [],
};

/** The same page, in which the first `count` pictures are encoded again. */
function withEncoded(count: number): Page {
  const encoded = (i: number): boolean => i > 0 && i <= count;
  return {...page, objects: page.objects.map((each, i) => (encoded(i) ? {...each, body: new Uint8Array(900)} : each))};
}

let unmount: () => void = () => undefined;
afterEach(() => {
  act(() => unmount());
  document.body.replaceChildren();
});

/** The texts of the dialog when the baseline pictures are made, or have failed. */
async function texts(quality: PageQuality | null = QUALITY): Promise<{readonly words: string; readonly note: string}> {
  const session = new Session({on: () => () => undefined} as Pick<Host, 'on'> as Host, new Player(), scenario);
  session.store.setState({run: {scenario, page, traces: [trace], metrics: []}, quality, qualityProgress: null});
  session.display.openDialog('quality');
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  unmount = () => root.unmount();
  await act(async () =>
    root.render(
      <SessionProvider session={session}>
        <QualityDialog theme="light" />
      </SessionProvider>,
    ),
  );
  await act(() => new Promise(resolve => setTimeout(resolve)));
  const textOf = (selector: string) => document.querySelector(selector)?.textContent ?? '';
  return {words: textOf('dialog p'), note: textOf('.note')};
}

test('the means of both formats are told, and that dashed lines are baseline JPEGs', async () => {
  twinOf.mockResolvedValue(withEncoded(2));
  const {words, note} = await texts();
  expect(words).toMatch(/^As served: on average .* Baseline: on average /);
  expect(note).toContain('Dashed lines are baseline JPEGs');
  expect(note).not.toContain('has no');
});

test('the note says how many pictures have no baseline JPEG', async () => {
  twinOf.mockResolvedValue(withEncoded(1));
  expect((await texts()).note).toContain('1 of these 2 pictures has no baseline JPEG');
});

test('without any baseline JPEG there is no mean of them', async () => {
  twinOf.mockResolvedValue(withEncoded(0));
  const {words, note} = await texts();
  expect(words).toMatch(/There are no baseline pictures: .* none of these pictures/);
  expect(note).not.toContain('Dashed');
});

test('if baseline pictures cannot be made, the reason is told', async () => {
  twinOf.mockRejectedValue(new Error('this browser gives no 2D context of a canvas'));
  const {words, note} = await texts();
  expect(words).toMatch(/There are no baseline pictures: this browser gives no 2D context of a canvas$/);
  expect(note).not.toContain('Dashed');
});

test('if the page is not being measured, the dialog does not say that it is', async () => {
  expect((await texts(null)).words).toBe(
    'The pictures are not measured: measuring failed, or the panes show different pages.',
  );
});
