import {useFeatures} from '../../features/feature.ts';
import {useModal} from '../../kit/useModal.ts';
import {useSession, useSessionState} from '../../session/context.tsx';
import {KEY_NAMES, shortcutsOf} from '../keyboard.ts';
import './dialogs.css';

/** The help dialog. It explains what the window shows, and lists all keys. */
export function Help() {
  const isOpen = useSessionState(state => state.view.dialog === 'help');
  const session = useSession();
  const features = useFeatures();
  const dialog = useModal(isOpen);
  return (
    <dialog ref={dialog} className="help" onClose={() => session.display.closeDialog('help')}>
      <h2>What you see</h2>
      <p>
        Every pane loads the same page over its own transport, on the same emulated path. Packet k of a direction has
        the same fate in every pane, whatever it carries. If loss applies only to packets with data, this holds for the
        k-th packet with data. Each object has a colour: the frame around a picture has it, and so has the picture’s
        line in the timeline. A cross is a lost packet; a bar beside it is a retransmission. Shading is data that had
        arrived and waited for earlier data of its stream (head-of-line blocking). Point at a cross to highlight the
        objects that the loss delayed. Click a packet to see its headers, chunks and options, and its fate. The RTT view
        shows each server’s SRTT and RTO (PTO for QUIC) on a logarithmic scale, so that a doubled RTO is one step up. A
        line marks each timer that fired: the line of a retransmission timeout ends in a block, the line of QUIC’s probe
        timeout ends in a frame, and the line of a tail loss probe is dashed. The server’s lines are red, the browser’s
        grey. In one graph, the panes differ by their dashes. With three or more panes in one graph, each pane has one
        line for all its bytes, and the lines of an object appear while the pointer is on the object.
      </p>
      <p>
        Each picture of the page has a dot. The dot is an empty ring at first, half full when the picture can be
        recognised, full when the picture is good, and ticked when it is complete. The quality of an incomplete picture
        is its similarity (SSIM) to the complete picture. Logos and icons are not counted. The percent view counts
        bytes, scans or visual progress; the bold line of visual progress is that of the whole page.
      </p>
      <p>
        The time t, the set-up time and ‘complete at’ are measured from the first packet. Page time T, PPage and silent
        time are measured from the first GET, so that a longer handshake changes only the first three. An incomplete
        load has no page time, PPage or silent time. An image that the server does not have (404) is shown as broken in
        every pane, and is not counted.
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
