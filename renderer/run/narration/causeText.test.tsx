// @vitest-environment jsdom
import {act} from 'react';
import {createRoot} from 'react-dom/client';
import {expect, test, vi} from 'vitest';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import type {ShownRun} from '../../session/loads.ts';
import {Player} from '../../session/player.ts';
import {CauseText} from './CauseText.tsx';

test('before the time of a loss, its explanation says that the packet is not lost yet', async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  const player = new Player();
  player.setEnd(70e6);
  const run = {traces: [new Trace(smallTrace())]} as Partial<ShownRun> as ShownRun;
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  act(() => root.render(<CauseText run={run} labels={['TCP']} loss={{pane: 0, packet: 3}} upTo={player} />));
  const shown = () => document.querySelector('p')?.textContent;
  expect(shown()).toBe('TCPloss 1This packet is not lost yet.');
  // in the small trace, the packet is lost at 25 ms
  await act(() => player.seek(25e6));
  expect(shown()).toContain('Lost at 0.03 s');
  act(() => root.unmount());
});
