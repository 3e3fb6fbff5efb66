import {useFeatures} from '../../features/feature.ts';
import {useModal} from '../../kit/useModal.ts';
import {useSession, useSessionState} from '../../session/context.tsx';
import {KEY_NAMES, shortcutsOf} from '../keyboard.ts';
import './dialogs.css';

/** The help dialog: it lists all keys and explains what the window shows. */
export function Help() {
  const isOpen = useSessionState(state => state.view.dialog === 'help');
  const session = useSession();
  const features = useFeatures();
  const dialog = useModal(isOpen);
  return (
    <dialog ref={dialog} className="help" onClose={() => session.display.closeDialog('help')}>
      <h2>What you see</h2>
      <p>
        The same page over each pane’s transport, on the same emulated path. Packet k of a direction draws the same fate
        on every side, whatever it carries; where loss applies to packets with data, the k-th of those does. Colours
        name objects: the frame around a picture and its line in the timeline. A cross is a lost packet, a bar beside it
        a retransmission; shading is data that was at the host and waited for earlier data of its stream (head-of-line
        blocking). Point at a cross to see what it held up: those objects stand out everywhere. Click a packet to look
        into it: its headers, chunks and options, and what became of it. The RTT view has each server’s SRTT and RTO, of
        QUIC PTO, on a logarithmic scale, so that a doubled RTO is one step up, with a line where a timer fired: a block
        ends a retransmission timeout’s, a frame QUIC’s probe timeout’s, a tail loss probe’s is dashed; red is the
        server’s, grey the browser’s. Panes in one graph are told apart by their dashes; of three or four, each has one
        line of all its bytes, and an object has its lines while it is pointed at.
      </p>
      <p>
        A dot stands for each picture of the page: a ring is empty, half full when the picture can be recognised, full
        when it is good, ticked when it is complete. How good a part of a picture is comes from its likeness to the
        whole (SSIM); logos and icons do not count. The percent view counts bytes, scans or what is to be seen; the bold
        line is then the page’s.
      </p>
      <p>
        t, set-up and ‘complete at’ count from the first packet; page time T, PPage and silent time from the first GET,
        so that a longer handshake shows in the former only. A load that is not complete has none of the latter. An
        image that the server does not have (404) is broken on every side and counts nowhere.
      </p>
      {features.map(({name, help}) => help !== undefined && <p key={name}>{help}</p>)}
      <h2>Keys</h2>
      <dl className="keys">
        {shortcutsOf(features).map(({key, text}) => (
          <div key={key}>
            <dt>
              <kbd>{KEY_NAMES[key] ?? key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
