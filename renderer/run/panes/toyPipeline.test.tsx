import {renderToStaticMarkup} from 'react-dom/server';
import {describe, expect, test, vi} from 'vitest';
import type {Host} from '../../../app/host/contract.ts';
import {type Pane, pipelines} from '../../../app/pipelines/index.ts';
import {paneLabels} from '../../../app/pipelines/paneLabels.ts';
import {overPipeline} from '../../../app/run/scenario/pane.ts';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {PaneSettings} from '../../features/settings/PaneSettings.tsx';
import {SessionProvider} from '../../session/context.tsx';
import {Player} from '../../session/player.ts';
import {Session} from '../../session/session.ts';
import {PaneHeader} from './PaneHeader.tsx';

// Like main/engine/toyPipeline.test.ts, this test adds a pipeline to the list. It checks that the window shows the
// pipeline without any other change.

vi.mock(import('../../../app/pipelines/list.ts'), async original => {
  const [{PIPELINES}, {toy}] = [await original(), await import('../../../app/pipelines/testing/toyPipeline.ts')];
  return {PIPELINES: [...PIPELINES, toy] as never};
});

const parsed = parseScenario({
  panes: [{pipeline: 'toy'}, {pipeline: 'toy', connections: 3, bufferBytes: 4096, eager: true}, {pipeline: 'sctp'}],
});
if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
const {scenario} = parsed;
const [pane, other, sctp] = scenario.panes as [
  (typeof scenario.panes)[number],
  (typeof scenario.panes)[number],
  (typeof scenario.panes)[number],
];

const UNMEASURED = {
  page: {name: 'p', objects: [], headerBytes: 0, requestBytes: 0},
  eye: null,
  progress: null,
  theme: 'light',
  hovered: new Set<number>(),
  onHover: () => undefined,
} as const;

describe('a pipeline that is added to the list', () => {
  test('is named as its record says', () => {
    expect(paneLabels(scenario.panes)).toEqual([
      'Toy, 2 at once, lazy',
      'Toy, 3 at once, eager',
      'SCTP classic, 10 streams',
    ]);
  });

  test('has a header, which shows the requested settings before the negotiation and the negotiated ones after it', () => {
    const player = new Player();
    const header = (streams: number): string => {
      const trace = new Trace({...smallTrace(), pipeline: pane.pipeline, streams});
      const text = renderToStaticMarkup(
        <PaneHeader trace={trace} pane={pane} player={player} {...UNMEASURED} differences={['lazy']} />,
      );
      return text.replaceAll(/<[^>]*>/g, '');
    };
    expect(header(5)).toBe('Toylazy · 5 toys · a stack of bricks');
    expect(header(0)).toBe('Toylazy · 2 toys · a stack of bricks');
  });

  test('has a control for each setting that the window shows, and is offered to every pane', () => {
    const session = new Session({on: () => () => undefined} as Pick<Host, 'on'> as Host, new Player(), {
      ...scenario,
      panes: [other],
    });
    const html = renderToStaticMarkup(
      <SessionProvider session={session}>
        <PaneSettings />
      </SessionProvider>,
    );
    expect([...html.matchAll(/<label for="[^"]*">([^<]*)</g)].map(([, label]) => label)).toEqual([
      'Pipeline',
      'Pictures',
      'Connections',
      'Pace',
      'Eager',
    ]);
    for (const {name, longLabel} of pipelines())
      expect(html).toMatch(new RegExp(`<option value="${name}"[^>]*>${longLabel}<`));
    const chosen = [...html.matchAll(/<option [^>]*selected="">([^<]*)</g)].map(([, text]) => text);
    expect(chosen).toEqual(['Toy, parallel', 'as served', 'as fast as can be', 'it is']);
    expect(html).toContain('value="3"');
  });

  test('takes over the settings that it shares with the previous pipeline, as TCP and SCTP do from each other', () => {
    expect(overPipeline(sctp, pane.pipeline, undefined)).toEqual(pane);
    expect(overPipeline(sctp, pane.pipeline, other)).toEqual(other);
    const changed = {...sctp, profile: 'modern', sendBuffer: {objects: 2}} as Pane;
    const modern = overPipeline(changed, 'tcp', undefined);
    const usual = {pipeline: 'tcp', connections: 1, pipelining: true, pipelineDepth: null, tls: false};
    expect(modern).toMatchObject({...usual, congestion: 'profile', profile: 'modern', sendBuffer: {objects: 2}});
    const reno = overPipeline({...modern, profile: 'reno'} as Pane, 'sctp', sctp);
    expect(reno).toEqual({...sctp, profile: 'classic', sendBuffer: {objects: 2}});
  });
});
