import {useEffect, useRef} from 'react';
import type {Pane} from '../../app/scenario/pane.ts';
import {firstAbove} from '../../app/trace/rowIndex.ts';
import type {Trace} from '../../app/trace/trace.ts';
import type {Player} from '../player.ts';

interface PaneHeaderProps {
  readonly trace: Trace;
  readonly pane: Pane;
  readonly player: Player;
}

/** What is compared, and how far it is at t. The numbers follow t outside of React. */
export function PaneHeader({trace, pane, player}: PaneHeaderProps) {
  const progress = useRef<HTMLSpanElement>(null);
  const ending = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const progressAt = progressOf(trace);
    return player.onTime(tNs => {
      if (progress.current !== null) progress.current.textContent = progressAt(tNs);
      if (ending.current !== null)
        ending.current.textContent = tNs >= trace.data.endNs ? endingText(trace) : '';
    });
  }, [trace, player]);
  return (
    <header className="pane-header">
      <strong>{pane.pipeline === 'tcp' ? 'TCP' : 'SCTP'}</strong>
      <span className="pane-settings">{settingsText(pane, trace)}</span>
      <span className="pane-progress" ref={progress} />
      <span className="pane-ending" ref={ending} role="status" />
    </header>
  );
}

function settingsText(pane: Pane, {data}: Trace): string {
  if (pane.pipeline === 'tcp') return `pipelined · ${pane.profile} · own stack`;
  const streams = `${data.streams} stream${data.streams === 1 ? '' : 's'}`;
  return `${streams} · ${pane.profile} · dcSCTP`;
}

function progressOf(trace: Trace): (tNs: number) => string {
  const size = trace.objects.reduce((sum, object) => sum + object.bytes, 0);
  const {packets} = trace.data;
  const lostNs = trace
    .droppedPackets()
    .map(packet => packets.fateNs[packet] ?? 0)
    .sort((a, b) => a - b);
  const failedNs = trace.objects.flatMap(object => object.failedNs ?? []).sort((a, b) => a - b);
  return tNs => {
    const bytes = trace.totalBytesAt(tNs);
    const percent = size === 0 ? 0 : (100 * bytes) / size;
    const lost = firstAbove(lostNs, tNs);
    const failed = firstAbove(failedNs, tNs);
    const failures = failed === 0 ? '' : ` · ${failed} failed`;
    return `${percent.toFixed(0)} % · ${(bytes / 1000).toFixed(0)} KB · ${lost} lost${failures}`;
  };
}

function endingText({data}: Trace): string {
  if (data.outcome === 'complete') return `complete at ${(data.endNs / 1e9).toFixed(1)} s`;
  return `${data.outcome}: ${data.reason}`;
}
