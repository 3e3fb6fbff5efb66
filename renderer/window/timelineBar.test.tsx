import {createElement} from 'react';
import {renderToStaticMarkup} from 'react-dom/server';
import {expect, test} from 'vitest';
import {createStore} from 'zustand/vanilla';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {VIEWS} from '../run/timeline/views/list.ts';
import {SessionProvider} from '../session/context.tsx';
import type {Session} from '../session/session.ts';
import {FIRST_VIEW} from '../session/viewSettings.ts';
import {TimelineBar} from './TimelineBar.tsx';

const parsed = parseScenario({});
if (!parsed.ok) throw new Error('the defaults are not a valid scenario');
const {scenario} = parsed;

/** The bar's buttons of views while a view is shown; the pressed one has an asterisk. */
function buttonsIn(timeline: (typeof VIEWS)[number]['name']): readonly string[] {
  const state = {scenario, run: null, view: {...FIRST_VIEW, timeline}, past: [], future: []};
  const session = {store: createStore(() => state)} as unknown as Session;
  const html = renderToStaticMarkup(createElement(SessionProvider, {session}, createElement(TimelineBar)));
  const [bar = ''] = html.match(/<fieldset.*?<\/fieldset>/) ?? [];
  return [...bar.matchAll(/aria-pressed="(\w+)"[^>]*>([^<]*)</g)].map(([, isPressed, label]) =>
    isPressed === 'true' ? `${label}*` : `${label}`,
  );
}

/** With more buttons in the bar, more than 25 controls of the window would be visible at once. */
const MOST_IN_BAR = 6;

test('the bar has six buttons, and one of them is that of the view that is shown', () => {
  for (const {name, label} of VIEWS) {
    const buttons = buttonsIn(name);
    expect(buttons.filter(each => each.endsWith('*'))).toEqual([`${label}*`]);
    expect(buttons).toHaveLength(MOST_IN_BAR);
  }
});

test('a rare view has a button only while it is shown', () => {
  const usual = ['losses', 'percent', 'waterfall', 'packets', 'cwnd', 'why'];
  expect(buttonsIn('percent').map(each => each.replace('*', ''))).toEqual(usual);
  expect(buttonsIn('queue')).toEqual([...usual.slice(0, -1), 'queue*']);
});
