import {expect, test} from 'vitest';
import {effectInShort, effectsOf, effectTime, effectWords} from '../../../../app/run/cause/effect.ts';
import {FATE} from '../../../../app/run/trace/columns.ts';
import {Trace} from '../../../../app/run/trace/trace.ts';
import type {TimelineModel} from '../model.ts';
import {drawn} from '../testing/drawn.ts';
import {GOLDEN_MODELS} from '../testing/goldenModels.ts';
import {losses} from './losses.ts';

const found = GOLDEN_MODELS.find(({name}) => name === 'losses-stacked')?.model;
if (found === undefined) throw new Error('there is no golden of the losses view');
const model = {...found, changes: [], width: 2000};
const [pane] = model.panes;
const trace = pane?.trace;
const [effect] = trace === undefined ? [] : effectsOf(trace);
if (pane === undefined || trace === undefined || effect === undefined) throw new Error('the load loses no packet');

const textsOf = (part: Partial<TimelineModel> = {}) => drawn({...model, ...part}).texts;
const [what] = effectWords(trace, effect);

test('the effect of a loss is described when it is over, not earlier', () => {
  const told = (revealNs: number) => textsOf({panes: [pane], revealNs}).some(({text}) => text === what);
  expect(what).toMatch(/ stood still for 0\.\d+ s$/);
  expect(told(effect.endNs - 1)).toBe(false);
  expect(told(effect.endNs)).toBe(true);
});

test('in a low row the text has one line, and fewer words if there is little room', () => {
  const [, more] = effectWords(trace, effect);
  const lines = (part: Partial<TimelineModel>) => {
    const known = [what, more, effectInShort(trace, effect)];
    return textsOf({panes: [pane], ...part}).flatMap(({text}) => (known.includes(text) ? [text] : []));
  };
  expect(lines({height: 200})).toEqual([what, more]);
  expect(lines({height: 70})).toEqual([what]);
  expect(lines({height: 70, width: 900})).toEqual([effectInShort(trace, effect)]);
  expect(lines({height: 70, width: 300})).toEqual([]);
  expect(lines({height: 40})).toEqual([]);
  // where no word fits, there may be room for the time
  const times = (width: number) =>
    textsOf({panes: [pane], height: 70, width}).filter(({text}) => text === effectTime(effect));
  expect(times(500).length).toBeGreaterThan(0);
  expect(times(200)).toEqual([]);
});

test('the bar of an object whose own data was lost is fainter than that of an object that waited', () => {
  const bars = drawn({...model, panes: [pane]}).rects.filter(({opacity}) => opacity !== 0.4);
  const [first, second, ...others] = bars.map(({opacity}) => opacity);
  expect(effect.stopped.map(({isOwn}) => isOwn)).toEqual([true, false]);
  expect([first, second]).toEqual([0.45, 1]);
  // the second loss stopped only its own object
  expect(others).toEqual([0.45]);
});

test('the simultaneous effects of two losses are below each other', () => {
  const [first, , second] = drawn({...model, panes: [pane]}).rects.filter(({opacity}) => opacity !== 0.4);
  expect(second?.y).toBeGreaterThan((first?.y ?? 0) + (first?.height ?? 0));
});

test('each pane has its name beside its row, and its settings below the name', () => {
  const names = textsOf({revealNs: 0}).filter(({anchor}) => anchor === 'end');
  expect(names.map(({text}) => text)).toEqual(['TCP classic', 'SCTP classic', '3 streams']);
  expect(losses.graphs(model.panes, 'stacked')).toEqual([model.panes]);
});

test('only if no data was lost, the view says so', () => {
  const {packets, ...others} = trace.data;
  const calm = new Trace({...others, packets: {...packets, fate: packets.fate.map(() => FATE.delivered)}});
  const said = (of: Trace) => textsOf({panes: [{...pane, trace: of}]}).map(({text}) => text);
  expect(said(calm)).toContain('no data was lost');
  expect(said(trace)).not.toContain('no data was lost');
});
