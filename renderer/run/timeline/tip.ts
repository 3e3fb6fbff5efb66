import {causeOf, endOfEffectNs} from '../../../app/run/cause/cause.ts';
import {causeSentenceAt} from '../../../app/run/cause/causeSentence.ts';
import {qualityAt} from '../../../app/run/quality/curve.ts';
import {seenIn} from '../../../app/run/quality/pageQuality.ts';
import {pictureStateAt} from '../../../app/run/quality/states.ts';
import {markSentence} from '../../../app/run/trace/marks.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {momentText} from '../../../app/run/trace/traceTexts.ts';
import {connectionName, connectionsByEndpoint} from './connections.ts';
import type {Box, Point} from './drawing.ts';
import {NEAR_MARK_PX} from './hits.ts';
import type {Hit, LossHit, SenderHit, TimelineModel} from './model.ts';
import {allPlots} from './plots.ts';
import {queueText} from './queueText.ts';
import {revealedNs} from './reveal.ts';
import {rowAt, type Sender} from './senders.ts';
import {firingText, senderText} from './timers.ts';
import {causeText} from './views/why.ts';

interface TipSize {
  readonly width: number;
  readonly height: number;
}

/**
 * The position of the upper left corner of a tooltip with the given size, CSS px of the timeline. The tooltip of a loss
 * does not cover the part of the graph from the loss to the end of its effect. It is to the left or right of this part,
 * below the graph or above it.
 */
export function tipPlace(model: TimelineModel, hit: Hit, {x, y}: Point, {width, height}: TipSize): Point {
  const top = clamp(y - height - GAP_PX, 0, model.height - height);
  const explained = hit.kind === 'loss' ? holdBox(model, hit) : undefined;
  if (explained === undefined) return {x: clamp(x + GAP_PX, 0, model.width - width), y: top};
  const inside = clamp(x - width / 2, 0, model.width - width);
  const places: readonly Point[] = [
    {x: explained.x - GAP_PX - width, y: top},
    {x: explained.x + explained.width + GAP_PX, y: top},
    {x: inside, y: explained.y + explained.height + GAP_PX},
    {x: inside, y: explained.y - GAP_PX - height},
  ];
  // the tooltip of a loss may be below the timeline
  const lowest = model.height + height;
  const good = places.find(
    place => place.x >= 0 && place.x + width <= model.width && place.y >= 0 && place.y + height <= lowest,
  );
  return good ?? {x: inside, y: explained.y + explained.height + GAP_PX};
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}

const GAP_PX = 12;

/** The text of the tooltip about what is under the pointer. `tNs` is the time at the pointer. */
export function tipText(model: TimelineModel, hit: Hit, tNs: number): string {
  if (hit.kind === 'loss') return lossText(hit.trace, hit.packet, revealedNs(model));
  if (hit.kind === 'mark') return markSentence(hit.trace, hit.packet);
  if (hit.kind === 'sender') return senderTip(hit, tNs);
  if (hit.kind === 'packet') return packetText(hit);
  if (hit.kind === 'cause') return causeText(hit);
  if (hit.kind === 'queue') return queueText(hit.trace, hit.way, Math.min(tNs, revealedNs(model)));
  const url = model.panes[0]?.trace.objects[hit.object]?.url ?? '';
  return hit.trace === undefined
    ? [url, ...connectionsOf(model, hit.object)].join(', ')
    : `${url}: ${howFar(model, hit.trace, hit.object, tNs)}`;
}

/** For example `/lake.jpg, sent at 1.204 s: click to look inside or to drop it`. */
function packetText({trace, packet, object}: Extract<Hit, {kind: 'packet'}>): string {
  const sent = momentText(trace.data.packets.sentNs[packet] ?? 0, 3);
  const connection = connectionsByEndpoint(trace).get(trace.data.packets.endpoint[packet] ?? -1) ?? null;
  const name = connectionName(trace, connection);
  const over = name === '' ? '' : ` on ${name}`;
  return `${trace.objects[object]?.url ?? ''}, sent${over} at ${sent}: click to look inside or to drop it`;
}

/** For example `connection 2 of TCP, parallel`, for each pane that has several connections. */
function connectionsOf({panes}: TimelineModel, object: number): readonly string[] {
  return panes.flatMap(({trace, label}) => {
    const name = connectionName(trace, trace.objects[object]?.connection ?? null);
    return name === '' ? [] : [`${name} of ${label}`];
  });
}

/** For example `connection 2: SRTT 352 ms, RTO 1.20 s`. */
function senderTip({sender, values, firing}: SenderHit, tNs: number): string {
  const name = connectionName(sender.trace, sender.connection);
  const whose = sender.side === 'client' ? 'the browser’s ' : '';
  const text = values === 'cwnd' ? cwndText(sender, tNs) : `${whose}${senderText(sender, tNs)}`;
  return `${name === '' ? '' : `${name}: `}${firing === undefined ? text : firingText(firing)}`;
}

/** For example `cwnd 12.4 KB, flight size 8.7 KB`, the values at t (ns). */
function cwndText(sender: Sender, tNs: number): string {
  const {cwndBytes, flightBytes} = sender.trace.data.samples;
  const row = rowAt(sender, tNs);
  const kilobytes = (column: Float64Array): string => `${((column[row] ?? 0) / 1000).toFixed(1)} KB`;
  return `cwnd ${kilobytes(cwndBytes)}, flight size ${kilobytes(flightBytes)}`;
}

/** For example `26 % of the bytes, quality 0.68, recognisable`. */
function howFar({eye}: TimelineModel, trace: Trace, object: number, tNs: number): string {
  const bytes = `${Math.floor(trace.percentAt(object, tNs))} % of the bytes`;
  const seen = eye === null ? null : (seenIn(trace, eye.quality)[object] ?? null);
  if (eye === null || seen === null) return bytes;
  const quality = qualityAt(seen.curve, trace.bytesAt(object, tNs)).toFixed(2);
  const state = pictureStateAt(trace, eye.quality, eye.thresholds, object, tNs);
  return [bytes, `quality ${quality}`, ...(state === 'none' ? [] : [state])].join(', ');
}

/**
 * A sentence about a lost packet's effect, as far as it is known at `untilNs`. Empty if the packet was not lost by
 * then.
 */
export function lossText(trace: Trace, packet: number, untilNs = Number.POSITIVE_INFINITY): string {
  const cause = causeOf(trace, packet);
  return cause === undefined ? '' : causeSentenceAt(trace, cause, untilNs);
}

/**
 * The part of a graph from a loss to the end of the loss's effect. Undefined if no graph shows the pane of the loss, or
 * if the packet was not lost.
 */
function holdBox(model: TimelineModel, {trace, packet}: LossHit): Box | undefined {
  const plot = allPlots(model).find(({panes}) => panes.some(pane => pane.trace === trace));
  const cause = causeOf(trace, packet);
  if (plot === undefined || cause === undefined) return undefined;
  const {box, strip, x} = plot;
  const [from, to] = [x(cause.lostNs) - NEAR_MARK_PX, x(endOfEffectNs(cause, trace)) + NEAR_MARK_PX];
  return {x: from, y: box.y, width: to - from, height: strip.y + strip.height - box.y};
}
