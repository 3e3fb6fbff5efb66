import {countText, joined} from '../../base/text.ts';
import {FATE} from '../trace/columns.ts';
import type {Trace} from '../trace/trace.ts';
import {durationText, momentText, objectName} from '../trace/traceTexts.ts';
import {type Cause, type DataCargo, endOfEffectNs, type LostPart} from './cause.ts';
import type {Noticed, Sending} from './sendings.ts';

/** Explains the consequences of a lost packet to an audience, in one to three sentences. */
export function causeSentence(trace: Trace, cause: Cause): string {
  const {cargo, from, lostNs} = cause;
  if (cargo.kind === 'data') return dataSentence(trace, cause, cargo);
  if (cargo.kind === 'set-up') {
    const {againNs, isAgainLost, connectedNs, insteadNs} = cargo;
    const lost = `${lostText(cause)}: ${aPacket(from)} that sets up the connection.`;
    if (insteadNs !== null && connectedNs !== null) {
      const opened = `Another connection was opened after ${durationText(insteadNs - lostNs)}`;
      return `${lost} ${opened}, and was complete at ${momentText(connectedNs)}.`;
    }
    if (againNs === null) return `${lost} It was never sent again.`;
    const waited = `The set-up waited ${durationText(againNs - lostNs)} for a timer`;
    if (isAgainLost) return `${lost} ${waited} and continued with a packet that was lost, too.`;
    if (connectedNs === null) return `${lost} ${waited} and then continued.`;
    return `${lost} ${waited}, then continued, and was complete at ${momentText(connectedNs)}.`;
  }
  if (cargo.kind === 'control') return `${lostText(cause)}: ${aPacket(from)} without data of the page.`;
  const {coveredNs, isAwaited, isSentAgain} = cargo;
  const lost = `${lostText(cause)}: an acknowledgement from the ${from}.`;
  if (coveredNs === null) return `${lost} No later acknowledgement arrived.`;
  const other = from === 'server' ? 'browser' : 'server';
  const after = durationText(coveredNs - lostNs);
  if (isSentAgain)
    return `${lost} A later one replaced it after ${after}. Until then, the ${other} sent data again that had arrived.`;
  if (isAwaited) return `${lost} The ${other} sent nothing until a later one replaced it, after ${after}.`;
  return `${lost} It delayed nothing: a later one replaced it after ${after}.`;
}

/**
 * Like {@link causeSentence}, but states only what is known at t (ns). Until all consequences have happened, it says
 * only what was lost. Before the loss, it is empty.
 */
export function causeSentenceAt(trace: Trace, cause: Cause, tNs: number): string {
  if (tNs < cause.lostNs) return '';
  // When a user chooses a loss, the window sets t to the last moment before the effect of the loss ends. The whole
  // sentence is shown at that moment, too.
  if (allKnownNs(cause, trace) - 1 <= tNs) return causeSentence(trace, cause);
  const {cargo, from} = cause;
  const lost = lostText(cause);
  switch (cargo.kind) {
    case 'data':
      return `${lost}: ${whatText(trace, cause, cargo)}; not repaired yet.`;
    case 'set-up':
      return `${lost}: ${aPacket(from)} that sets up the connection; the set-up has not continued yet.`;
    default:
      return `${lost}: an acknowledgement from the ${from}; no later one has arrived yet.`;
  }
}

/** Returns the time when everything that the sentence states has happened. */
function allKnownNs({cargo, lostNs}: Cause, {data}: Trace): number {
  switch (cargo.kind) {
    case 'data':
      return cargo.arrivedNs ?? data.endNs;
    case 'set-up':
      if (cargo.insteadNs !== null) return cargo.connectedNs ?? data.endNs;
      return Math.max(cargo.againNs ?? data.endNs, cargo.connectedNs ?? 0);
    case 'acknowledgement':
      return cargo.coveredNs ?? data.endNs;
    case 'control':
      return lostNs;
  }
}

/** Returns the label of the moment at which a loss was noticed: `3 SACKs`, `timeout 3.00 s`. */
export function noticedWord({pipeline}: Trace, noticed: Noticed): string {
  switch (noticed.by) {
    case 'reports':
      return `${noticed.count} ${pipeline.gapReport}${noticed.count === 1 ? '' : 's'}`;
    case 'request':
      return 'asked for';
    case 'timeout':
      return noticed.timerNs === null ? 'timeout' : `timeout ${durationText(noticed.timerNs)}`;
    default:
      return noticed.by;
  }
}

/** Returns the objects that waited for the lost data, without those whose own data was lost. */
export function waitingObjects({waited, parts}: DataCargo): readonly number[] {
  const lost = new Set(parts.map(({object}) => object));
  return [...new Set(waited.map(({object}) => object))].filter(object => !lost.has(object));
}

function dataSentence(trace: Trace, cause: Cause, cargo: DataCargo): string {
  const {from, lostNs} = cause;
  const {sendings, arrivedNs, isNeedless} = cargo;
  const lost = `${lostText(cause)}: ${whatText(trace, cause, cargo)}`;
  if (isNeedless) return `${lost}. The loss had no effect: a copy of the data had already arrived, or was on its way.`;
  const [first, ...more] = sendings;
  if (first === undefined)
    return `${lost}; it was not sent again before the run ended.${waitText(trace, cause, cargo)}`;
  const story = [lost, noticedText(trace, from, lostNs, first)];
  for (const [i, sending] of more.entries()) {
    if (sendings[i]?.isLost === true) story.push(againText(trace, sending));
  }
  const last = sendings.at(-1);
  const end =
    arrivedNs === null ? (last?.isLost === true ? ', lost too' : '') : `, arrived at ${momentText(arrivedNs)}`;
  return `${story.join('; ')}${end}.${waitText(trace, cause, cargo)}`;
}

const DROPPED_BY = new Map<number, string>([
  [FATE.queueFull, 'Dropped by a full queue'],
  [FATE.early, 'Dropped by a queue to signal congestion'],
  [FATE.policed, 'Dropped by the policer'],
  [FATE.handedOver, 'Lost in the hand-over'],
]);

function lostText({lostNs, fate}: Cause): string {
  return `${DROPPED_BY.get(fate) ?? 'Lost'} at ${momentText(lostNs)}`;
}

function aPacket(from: Cause['from']): string {
  return `a packet from the ${from}`;
}

/** Says what was lost, for example `14 % of lake.jpg` or `the browser’s request for lake.jpg`. */
function whatText(trace: Trace, {from}: Cause, {parts, isAgain}: DataCargo): string {
  const again = isAgain ? ', in a retransmission' : '';
  if (parts.length === 0) return `data of the ${from} that belongs to no object${again}`;
  if (from === 'browser') {
    const names = nameList(parts.map(({object}) => objectName(trace, object)));
    return `the browser’s request${parts.length === 1 ? '' : 's'} for ${names}${again}`;
  }
  const few = parts.length <= MOST_NAMES && parts.map(part => partText(trace, part));
  return `${few ? joined(few) : `data of ${nameList(parts.map(({object}) => objectName(trace, object)))}`}${again}`;
}

function partText(trace: Trace, {object, bytes}: LostPart): string {
  const size = trace.objects[object]?.bytes ?? 0;
  const share = size === 0 ? 0 : Math.min(100, Math.round((100 * bytes) / size));
  const of = `of ${objectName(trace, object)}`;
  return share === 0 ? `${bytes} bytes ${of}` : `${share} % ${of}`;
}

function noticedText(trace: Trace, from: Cause['from'], lostNs: number, sending: Sending): string {
  const {noticed, sentNs} = sending;
  const again = `sent again${noticed?.atNs === sentNs ? '' : ` at ${momentText(sentNs)}`}`;
  if (noticed === null) return again;
  const after = durationText(noticed.atNs - lostNs);
  if (noticed.by === 'probe') return `nothing came back, so the ${from} sent it again after ${after}`;
  if (noticed.by === 'request')
    return `requested again by the browser, and sent again after ${durationText(sentNs - lostNs)}`;
  const isKnown = noticed.by !== 'reports' || noticed.isThird;
  return isKnown
    ? `noticed after ${after} by ${evidenceText(trace, noticed)} and ${again}`
    : `sent again after ${after}, when ${evidenceText(trace, noticed)} had reported it`;
}

function againText(trace: Trace, {noticed, sentNs}: Sending): string {
  const why = noticed === null || noticed.by === 'probe' ? '' : ` after ${evidenceText(trace, noticed)}`;
  return `that copy was lost, too, and another was sent at ${momentText(sentNs)}${why}`;
}

/** Says how a loss was noticed, for example `three SACKs` or `a timeout of 3.00 s`. */
function evidenceText({pipeline}: Trace, noticed: Noticed): string {
  const reports = (count: number): string => {
    return count === 1 ? `one ${pipeline.gapReport}` : `${countText(count)} ${pipeline.gapReport}s`;
  };
  switch (noticed.by) {
    case 'reports':
      return reports(noticed.count);
    case 'timeout':
      return noticed.timerNs === null ? 'a timeout' : `a timeout of ${durationText(noticed.timerNs)}`;
    case 'timer':
      return `a timer that ${reports(noticed.count)} had started`;
    case 'request':
      return 'a request';
    case 'probe':
      return 'a probe';
  }
}

function waitText(trace: Trace, cause: Cause, cargo: DataCargo): string {
  const {from} = cause;
  const waiting = waitingObjects(cargo).map(object => objectName(trace, object));
  const toNs = endOfEffectNs(cause, trace);
  if (from === 'browser') {
    return waiting.length === 0 ? '' : ` ${requestsText(waiting)} waited ${waitedText(cargo)} at the server.`;
  }
  const waited = waiting.length === 0 ? [] : [`${nameList(waiting)} had arrived and waited ${waitedText(cargo)}`];
  return ` Meanwhile ${[...waited, ...stillText(trace, cargo, toNs)].join('; ')}.`;
}

function stillText(
  trace: Trace,
  {parts, still, othersThatGrew, pageStillFromNs}: DataCargo,
  toNs: number,
): readonly string[] {
  if (othersThatGrew.length === 0) {
    return [`nothing on the page moved for ${durationText(toNs - pageStillFromNs)}`];
  }
  const others = othersThatGrew.length === 1 ? 'one other object' : `${countText(othersThatGrew.length)} other objects`;
  const own = still.filter(({object}) => parts.some(part => part.object === object));
  const [first] = own;
  if (first === undefined) return [`${others} went on`];
  const names = nameList(own.map(({object}) => objectName(trace, object)));
  const longest = Math.max(...own.map(({fromNs}) => toNs - fromNs));
  return [`${names} stood still for ${durationText(longest)} while ${others} went on`];
}

function requestsText(names: readonly string[]): string {
  return `The request${names.length === 1 ? '' : 's'} for ${nameList(names)}`;
}

function waitedText(cargo: DataCargo): string {
  const lengths = waitingObjects(cargo).map(object => waitNs(cargo, object));
  return `${lengths.length > 1 ? 'up to ' : ''}${durationText(longestWaitNs(cargo))}`;
}

function longestWaitNs(cargo: DataCargo): number {
  return Math.max(...waitingObjects(cargo).map(object => waitNs(cargo, object)));
}

/** Returns the time from the first waiting data of the object to the end of the last wait. */
function waitNs({waited}: DataCargo, object: number): number {
  const own = waited.filter(each => each.object === object);
  return Math.max(...own.map(({endNs}) => endNs)) - Math.min(...own.map(({startNs}) => startNs));
}

function nameList(names: readonly string[]): string {
  if (names.length <= MOST_NAMES) return joined(names);
  const others = names.length - (MOST_NAMES - 1);
  return `${names.slice(0, MOST_NAMES - 1).join(', ')} and ${countText(others)} others`;
}

/** The largest number of names in a sentence. More are hard to remember. */
const MOST_NAMES = 3;
