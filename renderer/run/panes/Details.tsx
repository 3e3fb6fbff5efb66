import {useEffect, useRef} from 'react';
import {failureText} from '../../../app/page/failure.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {Icon} from '../../kit/Icon.tsx';
import type {Player} from '../../session/player.ts';

interface DetailsProps {
  readonly trace: Trace;
  readonly object: number;
  readonly player: Player;
  readonly onClose: () => void;
}

/** The details of one object: the times of its load, and its state at t. */
export function Details({trace, object, player, onClose}: DetailsProps) {
  const state = useRef<HTMLElement>(null);
  const row = trace.objects[object];
  useEffect(
    () =>
      player.onTime(tNs => {
        if (state.current !== null) state.current.textContent = stateText(trace, object, tNs);
      }),
    [trace, object, player],
  );
  if (row === undefined) return null;
  const blockedMs = trace.blockedOf(object).reduce((sum, each) => sum + (each.endNs - each.startNs) / 1e6, 0);
  return (
    <aside className="pane-details">
      <button type="button" className="quiet" aria-label="close the details" onClick={onClose}>
        <Icon name="close" />
      </button>
      <strong>{row.url}</strong>
      <dl>
        <dt>now</dt>
        <dd ref={state} />
        <dt>stream</dt>
        <dd>{row.stream ?? '–'}</dd>
        <dt>request</dt>
        <dd>{seconds(row.requestNs)}</dd>
        <dt>first byte</dt>
        <dd>{seconds(row.firstByteNs)}</dd>
        <dt>complete</dt>
        <dd>
          {row.failure === null
            ? seconds(row.completeNs)
            : `failed at ${seconds(row.failedNs)}: ${failureText(row.failure)}`}
        </dd>
        <dt>HOL blocked</dt>
        <dd>{blockedMs === 0 ? 'never' : `${(blockedMs / 1000).toFixed(2)} s`}</dd>
      </dl>
    </aside>
  );
}

function stateText(trace: Trace, object: number, tNs: number): string {
  const waits = trace.blockedOf(object).some(each => each.startNs <= tNs && tNs < each.endNs);
  const bytes = `${trace.bytesAt(object, tNs)} of ${trace.objects[object]?.bytes} B`;
  return `${trace.stateAt(object, tNs)}, ${bytes}${waits ? ', head-of-line blocked' : ''}`;
}

function seconds(ns: number | null): string {
  return ns === null ? '–' : `${(ns / 1e9).toFixed(2)} s`;
}
