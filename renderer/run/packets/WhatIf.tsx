import type {PacketEdit} from '../../../app/run/cause/dropPacket.ts';
import type {PanePacket} from '../../../app/run/packets/panePacket.ts';
import {useSession, useSessionState} from '../../session/context.tsx';

interface WhatIfProps {
  readonly packet: PanePacket;
  /** Called when the packet was dropped or delivered. */
  readonly onDone?: () => void;
}

/**
 * Has buttons that drop a packet, in every pane (`on every side`) or only in its own pane. If the packet was lost, they
 * deliver it instead. If nothing is possible, this says why.
 */
export function WhatIf({packet, onDone}: WhatIfProps) {
  const {whatIf} = useSession();
  // the edits below depend on the run and on the scenario, so a change of these must render the buttons again
  const panes = useSessionState(state => state.run?.scenario.panes.length ?? 0);
  useSessionState(state => state.run);
  useSessionState(state => state.scenario);
  const every = whatIf.editOf(packet);
  // with a single pane, both edits would lose the same packet
  const own = panes > 1 ? whatIf.ownEditOf(packet) : every;
  const isOwnOffered = own.ok && own.sides === 'this' && !(every.ok && every.sides === 'this');
  if (!every.ok && !isOwnOffered)
    return <p className="what-if">The fate of this packet cannot be changed: {every.message}.</p>;
  return (
    <div className="what-if">
      {every.ok ? (
        <Offer
          edit={every}
          keyName={every.sides === 'every' ? 'Del' : 'Shift Del'}
          onChoose={() => {
            whatIf.apply(packet);
            onDone?.();
          }}
        />
      ) : (
        <span>The fate of this packet cannot be changed on all sides at once: {every.message}.</span>
      )}
      {isOwnOffered && (
        <Offer
          edit={own}
          keyName="Shift Del"
          isNamed={!every.ok || every.packet !== own.packet}
          onChoose={() => {
            whatIf.applyOwn(packet);
            onDone?.();
          }}
        />
      )}
    </div>
  );
}

interface OfferProps {
  readonly edit: Extract<PacketEdit, {readonly ok: true}>;
  readonly keyName: string;
  /** Whether the packet's number is shown. */
  readonly isNamed?: boolean;
  readonly onChoose: () => void;
}

function Offer({edit: {isDrop, sides, packet, note}, keyName, isNamed = true, onChoose}: OfferProps) {
  const where = sides === 'every' ? 'on every side' : 'on this side only';
  const what = isDrop ? 'lose this packet' : 'let this packet arrive';
  return (
    <>
      <button
        type="button"
        title={`${what}, as a what-if (${keyName})${note === '' ? '' : `. ${note}`}`}
        onClick={onChoose}
      >
        {isDrop ? 'Drop' : 'Deliver'} this packet {where}
      </button>
      {isNamed && <span>{packet}</span>}
      {note !== '' && <span className="what-if-note">{note}</span>}
    </>
  );
}
