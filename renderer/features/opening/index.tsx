import {isScenarioLink} from '../../../app/run/scenario/link.ts';
import {useSession} from '../../session/context.tsx';
import type {Session} from '../../session/session.ts';
import type {Feature} from '../feature.ts';
import {AddressBar, focusAddress, typeAddress} from './AddressBar.tsx';
import {openDropped} from './dropped.ts';
import {LeftOutDialog} from './LeftOutDialog.tsx';
import {OpenDialog} from './OpenDialog.tsx';
import {OpeningNotice} from './OpeningNotice.tsx';
import {PageDoor} from './PageDoor.tsx';
import {OPENER, showCompared} from './pageOpener.ts';
import {TraceFilePanes} from './TraceFilePanes.tsx';

/** Opens pages (from addresses or from files), scenarios, stories, trace files and captures. */
export const opening: Feature = {
  name: 'opening',
  state: OPENER,
  toolbar: [
    {group: 'tools', Entry: OpenButton},
    {group: 'wide', Entry: AddressBar},
  ],
  keys: [
    {key: 'Ctrl o', group: 'open', text: 'open a page, scenario, trace or story', act: openDialog},
    {key: 'Ctrl l', group: 'open', text: 'go to the address bar', act: focusAddress},
  ],
  commands: session =>
    session.pages.store.getState().map(kept => ({
      id: `page ${kept.page.bundle}`,
      group: 'page',
      title: `Page: ${kept.page.name}`,
      words: 'opened before',
      act: () => session.stateOf(OPENER).openKept(kept),
    })),
  door: {place: 'page', title: 'Your page', View: PageDoor},
  dialogs: [
    {name: 'open', region: 'what can be opened', View: OpenDialog},
    {name: 'left out', region: 'what was left out', View: LeftOutDialog},
  ],
  notice: OpeningNotice,
  side: [{place: 'trace files', region: 'the trace files', View: TraceFilePanes}],
  // a scenario link is opened immediately; an address is only inserted into a field for addresses
  paste: (session, text) => {
    if (isScenarioLink(text)) session.documents.open({name: 'the link', text});
    else if (/^\s*https?:\/\/\S+\s*$/i.test(text)) typeAddress(text.trim());
  },
  drop: (session, dropped) => {
    // on the start screen, a page gets the transports and the path that are chosen there
    const isAtStart = session.store.getState().view.dialog === 'start';
    void openDropped(session, dropped, isAtStart ? showCompared(session) : undefined);
  },
};

function OpenButton() {
  const session = useSession();
  return (
    <button type="button" onClick={() => openDialog(session)} title="open a page, scenario, trace or story (Ctrl O)">
      Open
    </button>
  );
}

function openDialog({display, pages}: Session): void {
  display.openDialog('open');
  void pages.read();
}
