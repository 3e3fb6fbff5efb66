import {useSession} from '../../session/context.tsx';
import {readKept} from '../../session/keptOverReload.ts';
import type {Session} from '../../session/session.ts';
import type {Feature} from '../feature.ts';
import {CompareDialog, CompareDoor} from './CompareForm.tsx';
import {StartDialog} from './StartDialog.tsx';
import {START} from './startScreen.ts';

/** The start screen of a window that is used for the first time: a question, and three ways to answer it. */
export const start: Feature = {
  name: 'start',
  state: START,
  toolbar: [{group: 'tools', Entry: CompareButton}],
  commands: () => [
    {id: 'start', group: 'command', title: 'Go to the start screen', act: ({display}) => display.openDialog('start')},
    {
      id: 'compare',
      group: 'command',
      title: 'Compare transports on a path',
      words: 'HTTP/1.1 HTTP/2 HTTP/3 SCTP TCP QUIC',
      act: openCompare,
    },
  ],
  door: {place: 'compare', title: 'Compare transports', View: CompareDoor},
  dialogs: [
    {name: 'start', region: 'the start screen', View: StartDialog},
    {name: 'compare', region: 'the comparison', View: CompareDialog},
  ],
  drop: ({display}) => display.closeDialog('start'),
  restore: (session, storage) => {
    // the window's page was reloaded, so the user has seen the start screen
    if (readKept(storage) !== null) session.stateOf(START).skip();
    return undefined;
  },
};

function CompareButton() {
  const session = useSession();
  return (
    <button type="button" onClick={() => openCompare(session)} title="choose transports and a path to compare">
      Compare
    </button>
  );
}

function openCompare({display}: Session): void {
  display.openDialog('compare');
}
