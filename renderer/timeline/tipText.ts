import {qualityAt} from '../../app/quality/curve.ts';
import {pictureStateAt} from '../../app/quality/states.ts';
import type {Trace} from '../../app/trace/trace.ts';
import {momentText} from '../../app/trace/words.ts';
import {lossText} from './losses.ts';
import type {Hit, TimelineModel} from './model.ts';
import {revealedNs} from './reveal.ts';
import {firingText, senderText} from './timers.ts';

/** One line for people on what the pointer is on, at t (ns) where it is on an object's line. */
export function tipText(model: TimelineModel, hit: Hit, tNs: number): string {
  if (hit.kind === 'loss') return lossText(hit.trace, hit.packet, revealedNs(model));
  if (hit.kind === 'sender')
    return hit.firing === undefined ? senderText(hit.sender, tNs) : firingText(hit.firing);
  if (hit.kind === 'packet') return packetText(hit);
  const url = model.panes[0]?.trace.objects[hit.object]?.url ?? '';
  return hit.trace === undefined ? url : `${url}: ${howFar(model, hit.trace, hit.object, tNs)}`;
}

/** `/lake.jpg, sent at 1.204 s: a click looks into it`. */
function packetText({trace, packet, object}: Extract<Hit, {kind: 'packet'}>): string {
  const sent = momentText(trace.data.packets.sentNs[packet] ?? 0, 3);
  return `${trace.objects[object]?.url ?? ''}, sent at ${sent}: a click looks into it`;
}

/** `26 % of the bytes, quality 0.68, recognisable`. */
function howFar({eye}: TimelineModel, trace: Trace, object: number, tNs: number): string {
  const bytes = `${Math.floor(trace.percentAt(object, tNs))} % of the bytes`;
  const seen = eye?.quality.objects[object] ?? null;
  if (eye === null || seen === null) return bytes;
  const quality = qualityAt(seen.curve, trace.bytesAt(object, tNs)).toFixed(2);
  const state = pictureStateAt(trace, eye.quality, eye.thresholds, object, tNs);
  return [bytes, `quality ${quality}`, ...(state === 'none' ? [] : [state])].join(', ');
}
