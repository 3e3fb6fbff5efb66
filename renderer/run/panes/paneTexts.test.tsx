import {renderToStaticMarkup} from 'react-dom/server';
import {expect, test} from 'vitest';
import type {Host} from '../../../app/host/contract.ts';
import type {Page} from '../../../app/page/page.ts';
import type {Pane} from '../../../app/pipelines/index.ts';
import {parseScenario, type Scenario} from '../../../app/run/scenario/scenario.ts';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {PaneSettings} from '../../features/settings/PaneSettings.tsx';
import {SessionProvider} from '../../session/context.tsx';
import type {ShownRun} from '../../session/loads.ts';
import {Player} from '../../session/player.ts';
import {Session} from '../../session/session.ts';
import {FairnessLine} from '../metrics/FairnessLine.tsx';
import {Heading} from '../narration/Heading.tsx';
import {PaneHeader} from './PaneHeader.tsx';

test.each([
  [{pipeline: 'tcp', profile: 'reno'}, 'HTTP/1.1 over TCPpipelined · reno · own stack'],
  [{pipeline: 'sctp', streams: 4}, 'HTTP over SCTP3 streams · classic · dcSCTP'],
  [
    {pipeline: 'h3', scheduler: 'first-come'},
    'HTTP/3first-come · classic · plain browser: requests objects as it finds them · quinn',
  ],
])('the header of %o names the pipeline, its settings and its stack', (pane, text) => {
  const trace = new Trace({...smallTrace(), streams: 3});
  const shown = {trace, eye: null, progress: null, theme: 'light', hovered: new Set<number>()} as const;
  const own = {
    page: PAGE,
    pane: paneOf(pane),
    differences: [],
    player: new Player(),
    onHover: () => undefined,
  };
  const header = <PaneHeader {...shown} {...own} />;
  expect(renderToStaticMarkup(header).replaceAll(/<[^>]*>/g, '')).toBe(text);
});

test('the stage and the line below the panes describe a plain browser’s requests and responses', () => {
  const scenario = scenarioOf({pipeline: 'h3', scheduler: 'first-come'});
  const page = {...PAGE, hash: '', leftOut: []};
  const run: ShownRun = {scenario, page, traces: [new Trace(smallTrace())], metrics: []};
  const stage = <Heading run={run} eye={null} player={new Player()} speed={1} />;
  const line = (
    <SessionProvider session={new Session(HOST, new Player(), scenario)}>
      <FairnessLine run={run} labels={['HTTP/3']} />
    </SessionProvider>
  );
  for (const shown of [stage, line]) {
    expect(renderToStaticMarkup(shown)).toMatch(
      /<(span|li)>plain browser: requests objects as it finds them; responses come one after the other \(HTTP\/3\)<\/\1>/,
    );
  }
});

test.each([
  [
    {pipeline: 'tcp', sendBuffer: {objects: 2}},
    [
      'Profile: classic (2007)',
      'Connections: 1',
      'Pipeline: HTTP/1.1 over TCP',
      'Pictures: as served',
      'Congestion control: that of the profile',
      'ECN: no ECN',
      'Pipelining: pipelined',
      'TLS: none',
      'Visit: the first one',
      'Early data: 0-RTT',
      'Send buffer: 2 objects',
    ],
  ],
  [
    {
      pipeline: 'sctp',
      profile: 'modern',
      fragmentation: false,
      server: 'interleaving',
      conversion: 'progressive',
    },
    [
      'Streams: 10',
      'Pipeline: HTTP over SCTP',
      'Pictures: progressive',
      'Profile: modern',
      'After an object: streams stay open',
      'Messages: one per response',
      'Large messages: block other messages',
      'Scheduler: round-robin',
      'Server: several at once',
      'TLS: none',
      'Send buffer: the whole transfer',
    ],
  ],
])('the controls of %o show the current settings, the visible ones first', (pane, fields) => {
  const session = new Session(HOST, new Player(), scenarioOf(pane));
  const html = renderToStaticMarkup(
    <SessionProvider session={session}>
      <PaneSettings />
    </SessionProvider>,
  );
  const texts = html
    .split(/<div class="field[^"]*"[^>]*>/)
    .slice(1)
    .map(field => {
      const label = /<label for="[^"]*">([^<]*)</.exec(field)?.[1];
      const value = /selected="">([^<]*)</.exec(field)?.[1] ?? /value="([^"]*)"/.exec(field)?.[1];
      return `${label}: ${value}`;
    });
  expect(texts).toEqual(fields);
});

const PAGE: Page = {name: 'p', objects: [], headerBytes: 0, requestBytes: 0};
const HOST = {on: () => () => undefined} as Pick<Host, 'on'> as Host;

function scenarioOf(pane: object): Scenario {
  const parsed = parseScenario({panes: [pane]});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}

function paneOf(document: object): Pane {
  const [pane] = scenarioOf(document).panes;
  if (pane === undefined) throw new Error('no pane');
  return pane;
}
