import {useEffect, useRef} from 'react';
import type {Pane} from '../../app/scenario/pane.ts';
import {firstAbove} from '../../app/trace/rowIndex.ts';
import type {Trace} from '../../app/trace/trace.ts';
import type {Player} from '../player.ts';
import {streamsText} from './paneLabels.ts';

interface PaneHeaderProps {
  readonly trace: Trace;
  readonly pane: Pane;
  readonly differences: readonly string[];
  readonly player: Player;
}

/** What is compared, and how far it is at t. The numbers follow t outside of React. */
export function PaneHeader({trace, pane, differences, player}: PaneHeaderProps) {
  const progress = useRef<HTMLSpanElement>(null);
  const percent = useRef<HTMLSpanElement>(null);
  const ending = useRef<HTMLSpanElement>(null);
  const clock = useRef<HTMLSpanElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const progressAt = progressOf(trace);
    return player.onTime(tNs => {
      const isOver = tNs >= trace.data.endNs;
      const {share, text} = progressAt(tNs);
      if (progress.current !== null) progress.current.textContent = text;
      if (percent.current !== null) percent.current.textContent = `${Math.floor(100 * share)} %`;
      if (ending.current !== null) ending.current.textContent = isOver ? endingText(trace) : '';
      if (clock.current !== null) clock.current.textContent = isOver ? clockText(trace) : '';
      if (bar.current !== null) bar.current.style.backgroundSize = `${100 * share}% 100%`;
    });
  }, [trace, player]);
  const settings = [...comparedTexts(pane, trace), ...differences].join(' · ');
  return (
    <header className="pane-header">
      <div className="pane-name">
        <strong>{pane.pipeline === 'tcp' ? 'TCP' : 'SCTP'}</strong>
        <span className="pane-settings" title={settings}>
          {settings}
          <span className="pane-stack"> · {pane.pipeline === 'tcp' ? 'own stack' : 'dcSCTP'}</span>
        </span>
      </div>
      <div className="pane-state">
        <span className="pane-progress" ref={progress} />
        <span className="pane-percent" ref={percent} />
        <span
          className="pane-ending"
          data-outcome={trace.data.outcome}
          ref={ending}
          role="status"
          title={ENDING_TITLE}
        />
        <span className="pane-clock" ref={clock} />
      </div>
      <div className="pane-bar" ref={bar} />
    </header>
  );
}

/** What panes differ in: a narrow one tells it too. */
function comparedTexts(pane: Pane, {data}: Trace): readonly string[] {
  if (pane.pipeline === 'tcp') return ['pipelined', pane.profile];
  // none are negotiated where the set-up failed
  return [streamsText(data.streams || pane.streams), pane.profile];
}

/** Of the page's bytes: how many of 1 are there at t, and in words. */
function progressOf(trace: Trace): (tNs: number) => {readonly share: number; readonly text: string} {
  const size = trace.objects.reduce((sum, object) => sum + object.bytes, 0);
  const {packets} = trace.data;
  const lostNs = trace
    .droppedPackets()
    .map(packet => packets.fateNs[packet] ?? 0)
    .sort((a, b) => a - b);
  const failedNs = trace.objects.flatMap(object => object.failedNs ?? []).sort((a, b) => a - b);
  return tNs => {
    const bytes = trace.totalBytesAt(tNs);
    const lost = firstAbove(lostNs, tNs);
    const failed = firstAbove(failedNs, tNs);
    const failures = failed === 0 ? '' : ` · ${failed} failed`;
    const text = `${(bytes / 1000).toFixed(0)} KB · ${lost} lost${failures}`;
    return {share: size === 0 ? 0 : bytes / size, text};
  };
}

/** Two clocks are on screen. */
const ENDING_TITLE =
  'On the clock of t, which counts from the first packet. The page time T counts from the first GET, after the set-up.';

function clockText({data}: Trace): string {
  return data.outcome === 'complete' ? 'from the first packet' : '';
}

function endingText({data}: Trace): string {
  if (data.outcome === 'complete') return `complete at ${(data.endNs / 1e9).toFixed(1)} s`;
  return `${data.outcome}, no page time: ${data.reason}`;
}
