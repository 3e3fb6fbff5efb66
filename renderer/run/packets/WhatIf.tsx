import type {PanePacket} from '../../../app/run/packets/panePacket.ts';
import {useSession, useSessionState} from '../../session/context.tsx';

interface WhatIfProps {
  readonly packet: PanePacket;
  /** Called when the packet was dropped or delivered. */
  readonly onDone?: () => void;
}

/** Offers to drop a packet on every side, or to deliver it if the path lost it. Otherwise it says why not. */
export function WhatIf({packet, onDone}: WhatIfProps) {
  const {whatIf} = useSession();
  // the edit depends on these
  useSessionState(state => state.run);
  useSessionState(state => state.scenario);
  const edit = whatIf.editOf(packet);
  if (!edit.ok) return <p className="what-if">It cannot be dropped: {edit.message}.</p>;
  return (
    <div className="what-if">
      <button
        type="button"
        title={edit.isDrop ? 'lose this packet, as a what-if (Del)' : 'let this packet arrive, as a what-if (Del)'}
        onClick={() => {
          whatIf.apply(packet);
          onDone?.();
        }}
      >
        {edit.isDrop ? 'Drop this packet on every side' : 'Deliver this packet on every side'}
      </button>
      <span>
        {edit.packet}
        {edit.note !== '' && `. ${edit.note}`}
      </span>
    </div>
  );
}
