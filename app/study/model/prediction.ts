import {type ConvertedPage, type Page, pageAs} from '../../page/page.ts';
import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import {type LinkParts, PART_KEYS} from '../../run/scenario/linkParts.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';
import {type ModelPage, type ModelPath, responseTimes} from './responseTime.ts';

/** The times that L06's model of mean response times predicts for a pane, or the reason why it predicts none. */
export type Prediction = Predicted | {readonly ok: false; readonly reason: string};

export interface Predicted {
  readonly ok: true;
  /** The time from the first packet until the page is complete. */
  readonly completeMs: number;
  /** The time from the first GET until the page is complete, as the metric page time T counts it. */
  readonly pageTimeMs: number;
}

/** Predicts the times of each pane, in the order of the scenario's panes. */
export function predictAll(scenario: Scenario, page: ConvertedPage): readonly Prediction[] {
  if (scenario.path.live !== undefined)
    return scenario.panes.map(() => ({ok: false, reason: 'the settings of a live path are not known'}));
  if (scenario.path.captured !== undefined)
    return scenario.panes.map(() => ({ok: false, reason: 'the settings of a captured path are not known'}));
  return scenario.panes.map(pane => predict(scenario, pageAs(page, pane.conversion), pane));
}

/**
 * Notes for people about the panes without a prediction: one line for each reason, with the names of the panes. If all
 * panes have the same reason, the line names no panes.
 */
export function absenceNotes(predictions: readonly Prediction[], names: readonly string[]): readonly string[] {
  const who = new Map<string, string[]>();
  for (const [i, prediction] of predictions.entries()) {
    if (prediction.ok) continue;
    const those = who.get(prediction.reason) ?? [];
    those.push(names[i] ?? '');
    who.set(prediction.reason, those);
  }
  return Array.from(who, ([reason, those]) => {
    if (those.length === predictions.length) return `no model T: ${reason}`;
    return `${those.join(', ')} ${those.length === 1 ? 'has' : 'have'} no model T: ${reason}`;
  });
}

/** The assumptions of every prediction, in words for users. */
export const ASSUMPTIONS =
  'mean response time of one connection (Lee, Atiquzzaman, Sivagurunathan). The first window has one packet. Only ' +
  'data packets are lost, and all losses are repaired without a timeout. All objects are requested together, as ' +
  'soon as the HTML is complete. Packets have no headers, acknowledgements are never late or lost, and queues never ' +
  'overflow. Over SCTP no data waits behind a loss. With more loss, the predicted time can be shorter, because the model ' +
  'rounds the expected number of losses up (L06’s TCP: 23.40 s at 1 %, 21.41 s at 2 %)';

/** Predicts a pane's time (L06 table I), if the model covers the scenario and the pane. */
function predict(scenario: Scenario, page: Page, pane: Pane): Prediction {
  const reason = reasonAgainst(scenario, pane);
  if (reason !== undefined) return {ok: false, reason};
  const path = pathOf(scenario);
  const times = responseTimes(path, modelPage(page));
  if (times.all.passesThreshold) return {ok: false, reason: TOO_LONG};
  const completeMs = modelledAs(pane) === 'in order' ? times.tcpMs : times.sctpMs;
  return {ok: true, completeMs, pageTimeMs: completeMs - path.rttMs};
}

/** The reason why the model does not cover a pane of the scenario. Undefined if it does. */
function reasonAgainst({path, panes, changes, serverThinkMs}: Scenario, pane: Pane): string | undefined {
  if (modelledAs(pane) === null) return 'the model covers only SCTP and TCP pipelined on one connection';
  if (pane.drop !== undefined) return 'the pane also loses single packets';
  if (changes.length > 0) return 'the path changes during the load';
  if (path.down !== undefined || path.up !== undefined) return 'the rate or the delay follows a trace';
  if (path.traffic !== undefined) return 'other traffic shares the path';
  if (path.atOnce && panes.length > 1) return 'all panes share the path';
  const part = PART_KEYS.find(key => isUnmodelled(path[key]?.down) || isUnmodelled(path[key]?.up));
  if (part !== undefined) return UNMODELLED_PARTS[part];
  const {down} = path.loss;
  if (down.model !== 'bernoulli') return 'losses are not independent of each other';
  if (down.rate === 1) return 'every packet is lost';
  if (serverThinkMs > 0) return 'the server takes time to think';
  if ('sendBuffer' in pane && pane.sendBuffer !== null) return 'the server’s send buffer is limited';
  if (modelledAs(pane) === 'by stream' && pipelineOf(pane.pipeline).streamsOf(pane) === 1)
    return 'with one stream, data waits behind losses as over TCP';
  return undefined;
}

/** Whether the model has no such part of a link. It has drop-tail queues, and assumes that they never overflow. */
function isUnmodelled(part: LinkParts[keyof LinkParts] | undefined): boolean {
  return part !== undefined && !('kind' in part && part.kind === 'droptail');
}

const UNMODELLED_PARTS: Readonly<Record<keyof LinkParts, string>> = {
  queue: 'the queue drops or marks packets before it is full',
  jitter: 'the delay of packets is random',
  reorder: 'packets overtake others',
  duplicate: 'packets arrive twice',
  policer: 'a policer drops packets',
};

function modelledAs(pane: Pane) {
  return pipelineOf(pane.pipeline).modelled(pane);
}

function pathOf({path}: Scenario): ModelPath & {readonly lossRate: number} {
  const {down} = path.loss;
  return {
    rateBps: path.rateBps.down,
    rttMs: (path.rttMs.down + path.rttMs.up) / 2,
    lossRate: down.model === 'bernoulli' ? down.rate : 0,
    mssBytes: path.mtuBytes - IP_AND_TCP_BYTES,
  };
}

/** Converts a page into a page of the model, which consists of the sizes of the responses, including their headers. */
function modelPage({objects: [index, ...objects], headerBytes}: Page): ModelPage {
  const bytesOf = (object: Page['objects'][number] | undefined): number => headerBytes + (object?.body?.length ?? 0);
  return {
    htmlBytes: bytesOf(index),
    objects: objects.length,
    objectBytes: objects.reduce((sum, object) => sum + bytesOf(object), 0),
  };
}

/** Bytes of a packet that are not data. In L06, packets of 576 bytes have an MSS of 536 bytes. */
const IP_AND_TCP_BYTES = 40;

const TOO_LONG =
  'slow start ends before the first expected loss, and from then on the model counts a round trip for each packet';
