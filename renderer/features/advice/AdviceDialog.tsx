import {loadedLater} from '../../kit/loadedLater.tsx';
import type {Theme} from '../../kit/objectColours.ts';
import {useModal} from '../../kit/useModal.ts';
import {useSession, useSessionState} from '../../session/context.tsx';
import './advice.css';

/** A dialog that says how many streams suit the page and the path on screen, and what else would help. */
export function AdviceDialog({theme}: {readonly theme: Theme}) {
  const session = useSession();
  const isOpen = useSessionState(state => state.view.dialog === 'advice');
  const run = useSessionState(state => state.run);
  const dialog = useModal(isOpen);
  return (
    <dialog ref={dialog} className="advice" onClose={() => session.display.closeDialog('advice')}>
      {isOpen && run !== null && <AdvicePanel run={run} theme={theme} />}
    </dialog>
  );
}

/** The panel is loaded when the dialog opens for the first time, because it needs the library that draws figures. */
const AdvicePanel = loadedLater(async () => (await import('./AdvicePanel.tsx')).AdvicePanel, <h2>Advice</h2>);
