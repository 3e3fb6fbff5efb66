import {useEffect, useState} from 'react';
import {refusalOf} from '../../../app/base/refusal.ts';
import type {PacketAnswer} from '../../../app/host/contract.ts';
import {fateFields} from '../../../app/run/packets/fateFields.ts';
import type {PanePacket} from '../../../app/run/packets/panePacket.ts';
import type {Field, Part} from '../../../app/run/packets/part.ts';
import {Icon} from '../../kit/Icon.tsx';
import {useSession, useSessionState} from '../../session/context.tsx';
import type {ShownRun} from '../../session/loads.ts';
import {WhatIf} from './WhatIf.tsx';
import './packets.css';

interface PacketPanelProps {
  readonly run: ShownRun;
  /** The names of the panes. */
  readonly labels: readonly string[];
}

/** Shows the chosen packet: its fate and its contents. Renders nothing if no packet is chosen. */
export function PacketPanel({run, labels}: PacketPanelProps) {
  const chosen = useSessionState(state => state.chosenPacket);
  const trace = chosen === null ? undefined : run.traces[chosen.pane];
  if (chosen === null || trace === undefined) return null;
  const fields = fateFields(trace, chosen.packet);
  return fields.length === 0 ? null : (
    <Panel chosen={chosen} label={labels[chosen.pane] ?? ''} rows={trace.data.packets.sentNs.length} fate={fields} />
  );
}

interface PanelProps {
  readonly chosen: PanePacket;
  readonly label: string;
  /** The number of packets of the pane. */
  readonly rows: number;
  readonly fate: readonly Field[];
}

function Panel({chosen, label, rows, fate}: PanelProps) {
  const session = useSession();
  return (
    <aside className="packet" aria-label="packet">
      <header>
        <strong>
          {label}, packet {chosen.packet + 1} of {rows}
        </strong>
        <button
          type="button"
          className="quiet"
          title="previous packet (←)"
          aria-label="previous packet"
          onClick={() => session.highlights.stepPacket(-1)}
        >
          <Icon name="previous" />
        </button>
        <button
          type="button"
          className="quiet"
          title="next packet (→)"
          aria-label="next packet"
          onClick={() => session.highlights.stepPacket(1)}
        >
          <Icon name="next" />
        </button>
        <button
          type="button"
          className="quiet"
          title="close (Esc)"
          aria-label="close the packet"
          onClick={() => session.highlights.choosePacket(null)}
        >
          <Icon name="close" />
        </button>
        <WhatIf packet={chosen} />
      </header>
      <div className="packet-contents">
        <Fields fields={fate} />
        <PacketContents chosen={chosen} />
      </div>
    </aside>
  );
}

/** The contents of the packet, with the payload first and the headers last. They are computed on demand. */
function PacketContents({chosen}: {readonly chosen: PanePacket}) {
  const answer = useParts(chosen);
  if (answer === null) return null;
  if (!answer.ok) return <p role="alert">{answer.message}</p>;
  return <Parts parts={answer.parts} />;
}

/**
 * Shows the layers of a packet. `parts` has the outermost layer first. The payload is open and the headers are folded;
 * without a payload, the transport header is open.
 */
export function Parts({parts}: {readonly parts: readonly Part[]}) {
  const [ip, transport, ...content] = parts;
  const open = content.length === 0 && transport !== undefined ? [transport] : content;
  const folded = [...(content.length === 0 ? [] : [transport]), ip].filter(part => part !== undefined);
  return (
    <>
      {open.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its position
        <OnePart key={i} part={part} />
      ))}
      {folded.map(part => (
        <details key={part.name}>
          <summary>{part.name}</summary>
          <Content {...part} />
        </details>
      ))}
    </>
  );
}

/**
 * The parts of the packet, or why they cannot be shown. Until this answer is there, the answer for the previous packet
 * is returned, so that nothing flickers, or null if there is no previous packet.
 */
function useParts(chosen: PanePacket): PacketAnswer | null {
  const session = useSession();
  const [answer, setAnswer] = useState<PacketAnswer | null>(null);
  useEffect(() => {
    let isWanted = true;
    const take = (next: PacketAnswer) => {
      if (isWanted) setAnswer(next);
    };
    session.highlights.partsOf(chosen).then(take, (error: unknown) => {
      take(refusalOf(error));
    });
    return () => {
      isWanted = false;
    };
  }, [session, chosen]);
  return answer;
}

function OnePart({part}: {readonly part: Part}) {
  return (
    <section>
      <h3>{part.name}</h3>
      <Content {...part} />
    </section>
  );
}

function Content({fields, parts, fault}: Part) {
  return (
    <>
      <Fields fields={fields} />
      {parts.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its position
        <OnePart key={i} part={part} />
      ))}
      {fault !== undefined && <p role="alert">{fault}</p>}
    </>
  );
}

function Fields({fields}: {readonly fields: readonly Field[]}) {
  return (
    <dl>
      {fields.map(({name, text}, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a field is identified by its position
        <div key={i}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
