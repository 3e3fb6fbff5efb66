import {useEffect, useRef} from 'react';
import {firstAbove} from '../../app/order/firstAbove.ts';
import {type Pane, pipelineOf} from '../../app/pipelines/index.ts';
import type {Trace} from '../../app/trace/trace.ts';
import type {Player} from '../player.ts';

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
      if (bar.current !== null) bar.current.style.width = `${100 * share}%`;
    });
  }, [trace, player]);
  const pipeline = pipelineOf(pane.pipeline);
  // none are negotiated where the set-up failed
  const streams = trace.data.streams || pipeline.streamsOf(pane);
  const settings = [...pipeline.headerWords(pane, streams), ...differences].join(' · ');
  return (
    <header className="pane-header">
      <div className="pane-name">
        <strong>{pipeline.label}</strong>
        <span className="pane-settings" title={settings}>
          {settings}
          <span className="pane-stack"> · {pipeline.stack}</span>
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
