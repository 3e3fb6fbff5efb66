import {createElement} from 'react';
import {renderToStaticMarkup} from 'react-dom/server';
import {expect, test, vi} from 'vitest';
import {createStore} from 'zustand/vanilla';
import {measure} from '../../../app/run/metrics/metrics.ts';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {DEFAULT_MOVIE, type TimelineName} from '../../../app/telling/movie/options.ts';
import {RecordFields} from '../../features/recording/RecordFields.tsx';
import {FIRST_CHOICE} from '../../features/recording/recordChoice.ts';
import {Presentation} from '../../movie/Presentation.tsx';
import {SessionProvider} from '../../session/context.tsx';
import type {ShownRun} from '../../session/loads.ts';
import {Player} from '../../session/player.ts';
import type {Session} from '../../session/session.ts';
import {FIRST_VIEW} from '../../session/viewSettings.ts';
import {shortcutsOf} from '../../window/keyboard.ts';
import {TimelineBar} from '../../window/TimelineBar.tsx';
import {hitTest} from './hits.ts';
import type {TimelineModel, View} from './model.ts';
import {layOut} from './plots.ts';
import {drawn} from './testing/drawn.ts';
import {PLAIN_MODEL} from './testing/plainModel.ts';
import {timelineSvg} from './timelineSvg.ts';
import {viewOf} from './viewOf.ts';

// This test adds a view to the list, and checks that the window, movies and files use it without any other change.

const toy = vi.hoisted(
  (): View => ({
    name: 'toy' as TimelineName,
    label: 'a toy',
    key: '9',
    leftEm: 20,
    height: 'high',
    hasStrip: true,
    apartBy: 'rows',
    hasNameLines: false,
    graphs: panes => [panes.slice(0, 1), panes.slice(1)],
    legend: (theme, panes) => [[`${panes.length} in ${theme}`, '#00beef']],
    marks: () => [{text: 'a toy’s mark', draw: () => undefined}],
    draw: (drawing, _, {box}) => {
      drawing.fillStyle = '#c0ffee';
      drawing.fillRect(box.x, box.y, box.width, box.height);
    },
    hit: (_, {panes}) => ({kind: 'object', object: panes.length}),
  }),
);
vi.mock('./views/list.ts', async importOriginal => {
  const {VIEWS} = await importOriginal<typeof import('./views/list.ts')>();
  return {VIEWS: [...VIEWS, toy]};
});

const trace = new Trace(smallTrace());
const panes = ['one', 'two', 'three'].map(label => ({trace, metrics: measure(trace.data), label}));
const parsed = parseScenario({});
if (!parsed.ok) throw new Error('the defaults are not a valid scenario');
const {scenario} = parsed;

test('a new view is drawn as its record says, with its own margins, graphs, strips, names and legend', () => {
  const model: TimelineModel = {
    ...PLAIN_MODEL,
    panes,
    view: viewOf(toy.name),
    layout: 'overlaid',
    fontPx: 10,
  };
  const [first, second, ...others] = layOut(model);
  if (first === undefined || second === undefined) throw new Error('the toy has fewer than two graphs');
  expect(others).toEqual([]);
  expect(first.box.x).toBe(200);
  expect([first.strip.height, second.strip.height]).toEqual([10, 16]);
  const {rects, texts, lines} = drawn(model);
  expect(rects.filter(({colour}) => colour === '#c0ffee').map(({y}) => y)).toEqual([
    expect.closeTo(first.box.y, 1),
    expect.closeTo(second.box.y, 1),
  ]);
  const legends = texts.filter(({text}) => / in light$/.test(text));
  expect(legends.map(({text, x}) => [text, x])).toEqual([
    ['1 in light', 788],
    ['2 in light', 788],
  ]);
  // the panes are distinguished by their rows, so their names have no samples
  expect(texts.map(({text}) => text)).toContain('in each row, from the top:');
  expect(lines.some(({points: [from, to]}) => from?.y === to?.y)).toBe(false);
  const middle = (y: number) => ({x: 400, y: y + 20});
  expect(hitTest(model, middle(first.box.y))).toEqual({kind: 'object', object: 1});
  expect(hitTest(model, middle(second.box.y))).toEqual({kind: 'object', object: 2});
});

test('a new view can be saved as a file', () => {
  const look = {...DEFAULT_MOVIE.look, timeline: toy.name};
  expect(timelineSvg({panes, scenario, look, eye: null, tNs: 0})).toContain('fill="#c0ffee"');
});

test('a movie gives a new view the height that the view needs', () => {
  const run = {page: {name: 'toys', objects: []}, traces: [], metrics: [], scenario} as unknown as ShownRun;
  const look = {...DEFAULT_MOVIE.look, timeline: toy.name};
  const movie = createElement(Presentation, {run, look, eye: null, player: new Player(), speed: 1});
  expect(renderToStaticMarkup(movie)).toMatch(/^<div class="movie" [^>]*data-timeline="high"/);
});

test('a new view has a key, a button and an option in the recording dialog', () => {
  const set = vi.fn();
  const session = {display: {set}} as unknown as Session;
  const shortcut = shortcutsOf([]).find(({key}) => key === '9');
  shortcut?.act(session);
  expect(set).toHaveBeenCalledWith({timeline: 'toy'});
  expect(shortcut?.text).toBe('timeline: a toy');

  const state = {scenario, run: null, view: {...FIRST_VIEW, timeline: toy.name}, past: [], future: []};
  const value = {store: createStore(() => state)} as unknown as Session;
  const bar = renderToStaticMarkup(createElement(SessionProvider, {session: value}, createElement(TimelineBar)));
  expect(bar).toContain('<button type="button" aria-pressed="true" title="a toy (9)">a toy</button>');
  const fields = createElement(RecordFields, {choice: FIRST_CHOICE, onChange: () => undefined});
  expect(renderToStaticMarkup(fields)).toContain('<option>toy</option>');
});
