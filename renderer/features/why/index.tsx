import {lazy, Suspense} from 'react';
import {useSession, useSessionState} from '../../session/context.tsx';
import type {Feature, RunProps} from '../feature.ts';

/** Compares two panes by the causes of their time. */
export const why: Feature = {
  name: 'why',
  toolbar: [{group: 'more', Entry: WhyButton}],
  keys: [
    {
      key: 'W',
      group: 'show',
      text: 'why: where the time of two sides went, by cause',
      isForWatching: true,
      act: session => session.togglePanel('why'),
    },
  ],
  panel: {region: 'where the time went', View: Panel, leastEm: () => LEAST_EM},
};

function WhyButton() {
  const session = useSession();
  const isOpen = useSessionState(state => state.view.panel === 'why');
  return (
    <button
      type="button"
      aria-pressed={isOpen}
      onClick={() => session.togglePanel('why')}
      title="where the time of two sides went, by cause (Shift W)"
    >
      Why
    </button>
  );
}

/** The height of the sentence, the bars and the first rows of the table, em. */
const LEAST_EM = 22;

/** The panel has code of its own, which the window loads when the panel opens. */
const WhyPanel = lazy(async () => ({default: (await import('./WhyPanel.tsx')).WhyPanel}));

function Panel(props: RunProps) {
  return (
    <Suspense>
      <WhyPanel {...props} />
    </Suspense>
  );
}
