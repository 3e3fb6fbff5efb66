import {useEffect, useRef} from 'react';
import {firstAbove} from '../../../app/base/order.ts';
import {type Page, pictureFiles} from '../../../app/page/page.ts';
import {type Pane, pipelineOf} from '../../../app/pipelines/index.ts';
import {headerWordsOf, titleOf, withoutTitled} from '../../../app/pipelines/paneLabels.ts';
import type {LivePath} from '../../../app/pipelines/setting.ts';
import {schedulerText} from '../../../app/pipelines/settingTexts.ts';
import {picturesOf} from '../../../app/run/quality/pageQuality.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import {progressSteps} from '../../../app/run/quality/visual.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {secondsText} from '../../../app/run/trace/traceTexts.ts';
import {modelsText} from '../../../app/telling/narration/paneNotes.ts';
import {setText} from '../../kit/setText.ts';
import {Sight, type SightProps} from './Sight.tsx';

interface PaneHeaderProps extends Omit<SightProps, 'eye'> {
  readonly page: Page;
  readonly pane: Pane;
  readonly differences: readonly string[];
  /** The path of a live load; undefined for a computed or captured load. */
  readonly live?: LivePath | undefined;
  /** Whether the number of losses is not shown, because it is not known (`hasUnknownLosses` in session/sources.ts). */
  readonly areLossesUnknown?: boolean;
  /** The measured quality of the page's pictures. Null until they are measured, or if they cannot be measured. */
  readonly eye: Eye | null;
  /** How many objects are measured so far, and how many will be; null if nothing is being measured. */
  readonly progress: {readonly done: number; readonly all: number} | null;
}

/**
 * Shows the name and the settings of a pane, and how far its load is at t. If the page's pictures are measured, their
 * states are large and the share of the bytes is small; otherwise only the bytes are shown. The numbers are updated at
 * each t without rendering with React.
 */
export function PaneHeader({page, pane, differences, live, eye, progress, ...shared}: PaneHeaderProps) {
  const {trace, player, areLossesUnknown = false} = shared;
  const bytes = useRef<HTMLSpanElement>(null);
  const lost = useRef<HTMLSpanElement>(null);
  const failed = useRef<HTMLSpanElement>(null);
  const loading = useRef<HTMLSpanElement>(null);
  const percent = useRef<HTMLSpanElement>(null);
  const ending = useRef<HTMLSpanElement>(null);
  const clock = useRef<HTMLSpanElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const isCaptured = pane.captured !== undefined;
  const hasSight = eye !== null && picturesOf(trace, eye.quality).length > 0;
  useEffect(() => {
    const bytesAt = bytesOf(trace, areLossesUnknown);
    const seenAt = hasSight ? seenOf(trace, eye) : null;
    const ofWhat = hasSight ? ' of the bytes' : '';
    return player.onTime(tNs => {
      const isOver = tNs >= trace.data.endNs;
      const {share, ...texts} = bytesAt(tNs);
      setText(bytes.current, texts.bytes);
      setText(lost.current, texts.lost);
      setText(failed.current, texts.failed);
      setText(loading.current, isOver ? loadingText(trace) : '');
      setText(percent.current, `${Math.floor(100 * share)} %${ofWhat}`);
      setText(ending.current, isOver ? endingText(trace) : '');
      setText(clock.current, isOver ? clockText(trace) : '');
      if (bar.current !== null) bar.current.style.width = `${100 * (seenAt?.(tNs) ?? share)}%`;
    });
  }, [trace, player, eye, hasSight, areLossesUnknown]);
  const pipeline = pipelineOf(pane.pipeline);
  const isKernels = live !== undefined && pipeline.live?.seesPackets(live) === false;
  const stack = isCaptured ? '' : ` · ${isKernels ? 'the kernel’s' : pipeline.stack}`;
  // if the set-up failed, the trace has no number of streams
  const streams = trace.data.streams || pipeline.streamsOf(pane);
  // the differences come first, because the last settings are left out if there is little room
  const settings = withoutTitled(pane, [...new Set([...differences, ...headerWordsOf(pane, streams)])]).filter(
    // the model of a server ignores the pane's scheduler
    word => trace.data.server === undefined || word !== schedulerOf(pane),
  );
  const models = modelsText(pane, trace.data);
  // narrow panes do not show this text
  const browser = models === '' ? '' : ` · ${models}`;
  return (
    <header
      className={`pane-header${hasSight ? ' has-sight' : ''}${live === undefined ? '' : ' is-live'}`}
      // this is known before the pictures are measured, so that measuring does not change the layout
      data-pictures={pictureFiles(page) > 0}
    >
      <div className="pane-name">
        {/* biome-ignore lint/a11y/useSemanticElements: it is styled as text; the role tells screen readers that it is a heading */}
        <strong role="heading" aria-level={2}>
          {titleOf(pane)}
        </strong>
        <span className="pane-settings" title={`${settings.join(' · ')}${browser}${stack}`}>
          {settings.map((word, i) => (
            <span key={word}>{`${i === 0 ? '' : ' · '}${word}`}</span>
          ))}
          <span className="pane-browser">{browser}</span>
          <span className="pane-stack">{stack}</span>
        </span>
        <span className="pane-progress">
          <span ref={bytes} />
          <span ref={lost} />
          <span ref={failed} />
        </span>
      </div>
      <div className="pane-state">
        {hasSight && <Sight {...shared} eye={eye} />}
        {progress !== null && (
          <span className="pane-measuring">
            measuring pictures… {progress.done} of {progress.all}
          </span>
        )}
        <span className="pane-loading" ref={loading} />
        <span className="pane-percent" ref={percent} />
        <span className="pane-end">
          <span
            className="pane-ending"
            data-outcome={trace.data.outcome}
            ref={ending}
            role="status"
            title={ENDING_TITLE}
          />
          <span className="pane-clock" ref={clock} />
        </span>
      </div>
      <div className="pane-bar" ref={bar} />
    </header>
  );
}

/** The text of the scheduler of HTTP/2 or HTTP/3. Undefined for other panes. */
function schedulerOf(pane: Pane): string | undefined {
  const {hasPriorities} = pipelineOf(pane.pipeline);
  return hasPriorities && 'scheduler' in pane ? schedulerText(pane.scheduler) : undefined;
}

/** The visual progress of the page's first screen at t, 0–1. */
function seenOf(trace: Trace, {quality}: Eye): (tNs: number) => number {
  const steps = progressSteps(trace, quality);
  const times = steps.map(({atNs}) => atNs);
  return tNs => steps[firstAbove(times, tNs) - 1]?.progress ?? 0;
}

/**
 * The share of the page's bytes that have arrived at t, 0–1, and three texts. Each text is shown completely or not at
 * all.
 */
interface Bytes {
  readonly share: number;
  readonly bytes: string;
  readonly lost: string;
  readonly failed: string;
}

function bytesOf(trace: Trace, areLossesUnknown: boolean): (tNs: number) => Bytes {
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
    return {
      share: size === 0 ? 0 : bytes / size,
      bytes: `${(bytes / 1000).toFixed(0)} KB`,
      lost: areLossesUnknown ? '' : ` · ${lost} lost`,
      failed: failed === 0 ? '' : ` · ${failed} failed`,
    };
  };
}

/** Explains how the time in the header differs from the page time, which is also on screen. */
const ENDING_TITLE =
  'This time and t count from navigation. The papers’ page time T counts from the first request, after the set-up.';

function clockText({data}: Trace): string {
  return data.outcome === 'complete' ? 'from navigation' : '';
}

/** The text of a live load that is not over: that it is loading, or what it waits for. */
function loadingText({data}: Trace): string {
  return data.outcome === 'loading' ? (data.reason ?? 'loading…') : '';
}

function endingText({data}: Trace): string {
  if (data.outcome === 'complete') return `complete at ${secondsText(data.endNs)}`;
  if (data.outcome === 'loading') return '';
  return `${data.outcome}, no page time: ${data.reason}`;
}
