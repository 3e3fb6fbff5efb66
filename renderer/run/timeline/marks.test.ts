import {expect, test} from 'vitest';
import {GOLDEN_MODELS} from './testing/goldenModels.ts';
import {viewOf} from './viewOf.ts';
import {VIEWS} from './views/list.ts';

const panes = GOLDEN_MODELS.find(({name}) => name === 'percent-stacked')?.model.panes ?? [];
const ghostly = GOLDEN_MODELS.find(({name}) => name === 'percent-ghost')?.model.panes ?? [];
const textsOf = (view: 'percent' | 'packets', of = panes) =>
  viewOf(view)
    .marks(of, 'stacked', 'bytes')
    .map(({text}) => text);

test('a legend names the kinds of losses that the loads have and the view draws', () => {
  const losses = textsOf('percent').filter(text => text.startsWith('lost'));
  expect(losses).toEqual(['lost from the server: data', 'lost from the browser: control']);
  expect(textsOf('packets').filter(text => text.startsWith('lost'))).toEqual(['lost from the server: data']);
});

test('the mark of retransmissions is in the legend only if a load has some', () => {
  const calm = panes.map(pane => ({...pane, metrics: {...pane.metrics, retransmitted: 0}}));
  expect(textsOf('percent')).toContain('sent again');
  expect(textsOf('percent', calm)).not.toContain('sent again');
});

test('every view names the ghost of the previous run in its legend, if there is one', () => {
  for (const view of VIEWS) {
    expect(view.marks(ghostly, 'stacked', 'bytes').map(({text}) => text)).toContain('before the change');
    expect(view.marks(panes, 'stacked', 'bytes').map(({text}) => text)).not.toContain('before the change');
  }
});

test('the legend of the visual axis has the line of the page, and visual milestones', () => {
  const of = (axis: 'bytes' | 'visual') =>
    viewOf('percent')
      .marks(panes, 'stacked', axis)
      .map(({text}) => text);
  const own = ['the page: visual progress', 'recognisable, good, visually 85 %'];
  expect(of('visual')).toEqual(expect.arrayContaining(own));
  expect(of('visual')).not.toContain('all at 25, 50, 75 %');
  for (const text of own) expect(of('bytes')).not.toContain(text);
});
