import {useStore} from 'zustand';
import {showName} from '../../../app/base/text.ts';
import {useModal} from '../../kit/useModal.ts';
import {useSession, useSessionState, useStateOf} from '../../session/context.tsx';
import {OPENER} from './pageOpener.ts';

/** Lists everything that is left out of the page on screen, with the reasons. */
export function LeftOutDialog() {
  const {display} = useSession();
  const opener = useStateOf(OPENER);
  const about = useStore(opener.store, state => state.about);
  const isOpen = useSessionState(state => state.view.dialog === 'left out');
  const dialog = useModal(isOpen && about !== null);
  return (
    <dialog ref={dialog} className="left-out-list" onClose={() => display.closeDialog('left out')}>
      <h2>Left out of the page</h2>
      {about !== null && (
        <>
          {about.notLoaded.length > 0 && (
            <p>{about.notLoaded.join(', ')}: scripts never run; frames, videos and plug-ins are left out.</p>
          )}
          <ul>
            {about.leftOut.map(({address, why}) => (
              <li key={`${address} ${why}`}>
                <strong>{showName(address, LONGEST_ADDRESS)}</strong> {why}
              </li>
            ))}
          </ul>
          <p>
            {showName(about.page.name, LONGEST_ADDRESS)}, as of {about.date.slice(0, 10)}
          </p>
        </>
      )}
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

/** The largest number of characters of an address in the list. */
const LONGEST_ADDRESS = 200;
