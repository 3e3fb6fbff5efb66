import {renderToStaticMarkup} from 'react-dom/server';
import {expect, test} from 'vitest';
import type {Host} from '../../../app/host/contract.ts';
import type {PageQuality} from '../../../app/run/quality/pageQuality.ts';
import {SessionProvider} from '../../session/context.tsx';
import {shown} from '../../session/grid/testing/gridHost.ts';
import type {ShownRun} from '../../session/loads.ts';
import {Player} from '../../session/player.ts';
import {Session} from '../../session/session.ts';
import type {ExperimentChoice} from './choice.ts';
import {ExperimentPanel} from './ExperimentPanel.tsx';
import {EXPERIMENT} from './experiment.ts';

test('a chosen visual metric stays chosen while the text of an axis is invalid', () => {
  const quality = {} as PageQuality;
  const x = {key: 'path.loss', isTyped: false, text: '1, 2'};
  expect(chosenMetric({x, metric: 'speedIndexMs'}, quality)).toBe('speedIndexMs');
  expect(chosenMetric({x: {...x, text: 'a lot'}, metric: 'speedIndexMs'}, quality)).toBe('speedIndexMs');
  // without a measurement there is no such metric
  expect(chosenMetric({x: {...x, text: 'a lot'}, metric: 'speedIndexMs'}, null)).toBeUndefined();
});

/** The metric that the list shows as chosen. */
function chosenMetric(choice: Partial<ExperimentChoice>, quality: PageQuality | null): string | undefined {
  const run: ShownRun = {...shown(), traces: [], metrics: []};
  const session = new Session({on: () => () => undefined} as Pick<Host, 'on'> as Host, new Player(), run.scenario);
  // on the server, components read the initial state
  Object.assign(session.store.getInitialState(), {quality});
  Object.assign(session.stateOf(EXPERIMENT).choice.getInitialState(), choice);
  const html = renderToStaticMarkup(
    <SessionProvider session={session}>
      <ExperimentPanel run={run} theme="light" />
    </SessionProvider>,
  );
  const [, list = ''] = /Show<\/label><select[^>]*>(.*?)<\/select>/.exec(html) ?? [];
  return /<option value="(\w+)" selected/.exec(list)?.[1];
}
