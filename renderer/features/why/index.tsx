import {loadedLater} from '../../kit/loadedLater.tsx';
import {useSession, useSessionState} from '../../session/context.tsx';
import type {Feature} from '../feature.ts';

const WhyPanel = loadedLater(async () => (await import('./WhyPanel.tsx')).WhyPanel);

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
  panel: {region: 'where the time went', View: WhyPanel, leastEm: () => LEAST_EM},
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
