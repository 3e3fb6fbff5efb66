import {qualityAt} from '../../../app/run/quality/curve.ts';
import {seenIn} from '../../../app/run/quality/pageQuality.ts';
import {pictureStateAt} from '../../../app/run/quality/states.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {momentText} from '../../../app/run/trace/traceTexts.ts';
import {connectionName, connectionsByEndpoint} from './connections.ts';
import {lossText} from './losses.ts';
import type {Hit, SenderHit, TimelineModel} from './model.ts';
import {revealedNs} from './reveal.ts';
import {rowAt, type Sender} from './senders.ts';
import {firingText, senderText} from './timers.ts';

/** One line for people on what the pointer is on, at t (ns) where it is on an object's line. */
export function tipText(model: TimelineModel, hit: Hit, tNs: number): string {
  if (hit.kind === 'loss') return lossText(hit.trace, hit.packet, revealedNs(model));
  if (hit.kind === 'sender') return senderTip(hit, tNs);
  if (hit.kind === 'packet') return packetText(hit);
  const url = model.panes[0]?.trace.objects[hit.object]?.url ?? '';
  return hit.trace === undefined
    ? [url, ...connectionsOf(model, hit.object)].join(', ')
    : `${url}: ${howFar(model, hit.trace, hit.object, tNs)}`;
}

/** `/lake.jpg, sent at 1.204 s: a click looks into it`. */
function packetText({trace, packet, object}: Extract<Hit, {kind: 'packet'}>): string {
  const sent = momentText(trace.data.packets.sentNs[packet] ?? 0, 3);
  const connection = connectionsByEndpoint(trace).get(trace.data.packets.endpoint[packet] ?? -1) ?? null;
  const name = connectionName(trace, connection);
  const over = name === '' ? '' : ` on ${name}`;
  return `${trace.objects[object]?.url ?? ''}, sent${over} at ${sent}: a click looks into it`;
}

/** `connection 2 of TCP, parallel`: of each pane that has several. */
function connectionsOf({panes}: TimelineModel, object: number): readonly string[] {
  return panes.flatMap(({trace, label}) => {
    const name = connectionName(trace, trace.objects[object]?.connection ?? null);
    return name === '' ? [] : [`${name} of ${label}`];
  });
}

/** `connection 2: SRTT 352 ms, RTO 1.20 s`. */
function senderTip({sender, values, firing}: SenderHit, tNs: number): string {
  const name = connectionName(sender.trace, sender.connection);
  const whose = sender.side === 'client' ? 'the browser’s ' : '';
  const text = values === 'window' ? windowText(sender, tNs) : `${whose}${senderText(sender, tNs)}`;
  return `${name === '' ? '' : `${name}: `}${firing === undefined ? text : firingText(firing)}`;
}

/** `cwnd 12.4 KB, flight size 8.7 KB`, at t (ns). */
function windowText(sender: Sender, tNs: number): string {
  const {cwndBytes, flightBytes} = sender.trace.data.samples;
  const row = rowAt(sender, tNs);
  const kilobytes = (column: Float64Array): string => `${((column[row] ?? 0) / 1000).toFixed(1)} KB`;
  return `cwnd ${kilobytes(cwndBytes)}, flight size ${kilobytes(flightBytes)}`;
}

/** `26 % of the bytes, quality 0.68, recognisable`. */
function howFar({eye}: TimelineModel, trace: Trace, object: number, tNs: number): string {
  const bytes = `${Math.floor(trace.percentAt(object, tNs))} % of the bytes`;
  const seen = eye === null ? null : (seenIn(trace, eye.quality)[object] ?? null);
  if (eye === null || seen === null) return bytes;
  const quality = qualityAt(seen.curve, trace.bytesAt(object, tNs)).toFixed(2);
  const state = pictureStateAt(trace, eye.quality, eye.thresholds, object, tNs);
  return [bytes, `quality ${quality}`, ...(state === 'none' ? [] : [state])].join(', ');
}
