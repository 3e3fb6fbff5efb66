import {browserOf} from '../../../../app/browsers/list.ts';
import {lostOn} from '../../../../app/captures/twin/lostData.ts';
import type {Assumed} from '../../../../app/captures/twin/twinScenario.ts';
import {titleOf} from '../../../../app/pipelines/paneLabels.ts';
import {rateText} from '../../../../app/run/scenario/describe.ts';
import {scenarioDocument} from '../../../../app/run/scenario/document.ts';
import {Trace} from '../../../../app/run/trace/trace.ts';
import {diffPages} from '../../../../app/run/why/runDiff.ts';
import {whyOptionsOf} from '../../../../app/run/why/whyOptions.ts';
import {serverOf} from '../../../../app/servers/list.ts';
import type {ExplainedTwin} from '../../../captures/captureTwin.ts';
import type {OpenedCapture} from '../../../captures/openCaptures.ts';
import {causeRows, columnOf, differenceOf, inMs} from '../causeRows.ts';
import {align, milliseconds} from '../run/result.ts';

/** Returns the document that `twin --json` prints, without the name of the program. */
export function twinDocument({file, load}: OpenedCapture, {twin, ...explained}: ExplainedTwin) {
  const {scenario, path, thinkNs, assumed, leastQueuePackets, lost, placed} = twin;
  const {policer, queuePackets, windowBytes} = assumed;
  return {
    twin: {
      file,
      pipeline: load.pipeline,
      fitted: {
        rateBps: {down: path.downBps, up: path.upBps},
        rttMs: path.rttNs / 1e6,
        thinkMs: thinkNs / 1e6,
        windowBytes,
        policer,
        queuePackets,
        leastQueuePackets,
        lost: {down: lostOn(lost, 'down').length, up: lostOn(lost, 'up').length},
        placed,
        congestion: assumed.congestion,
        browser: scenario.browser,
        server: scenario.server,
      },
      pageTimeMs: {capture: ms(explained.captureNs), twin: ms(explained.twinNs)},
      isClose: explained.isClose,
      incomplete: explained.incomplete,
      causes: explained.causes.map(inMs),
      named: explained.named?.name ?? null,
      savings: explained.savings.map(({name, savedNs, attributedNs}) => ({
        name,
        savedMs: ms(savedNs),
        attributedMs: attributedNs / 1e6,
      })),
      scenario: scenarioDocument(scenario),
    },
  };
}

/** Returns the tables of a twin for people. */
export function twinTable(opened: OpenedCapture, explained: ExplainedTwin): string {
  return [fittedTable(explained), timeTable(opened, explained), savingsText(explained)].join('\n');
}

function fittedTable({twin}: ExplainedTwin): string {
  const {scenario, path, thinkNs, assumed, leastQueuePackets, lost, placed} = twin;
  const {policer, queuePackets, windowBytes} = assumed;
  const [pane] = scenario.panes;
  const isPoliced = policer !== null;
  const rows: readonly (readonly [string, string])[] = [
    ['pane', pane === undefined ? '' : titleOf(pane)],
    ['rate down', rateText(path.downBps)],
    ['rate up', path.upBps === null ? 'not seen, assumed equal to down' : rateText(path.upBps)],
    ['RTT', `${milliseconds(path.rttNs / 1e6)} ms`],
    ['lost down', `${lostOn(lost, 'down').length}${explainedBy(assumed)}`],
    ['lost up', String(lostOn(lost, 'up').length)],
    ['losses repeated in the twin', String(placed)],
    ['policer down', isPoliced ? `${rateText(policer.rateBps)}, bursts of ${kilobytes(policer.burstBytes)}` : 'none'],
    ['queue down', queuePackets === null ? `at least ${leastQueuePackets} packets` : `${queuePackets} packets`],
    ['think time of the server', thinkNs === 0 ? 'too short to be seen' : `${thinkNs / 1e6} ms`],
    ['window', windowBytes === null ? 'no limit seen' : kilobytes(windowBytes)],
    ['congestion control', assumed.congestion],
    ['browser', browserOf(scenario.browser).label],
    ['server', serverOf(scenario.server).label],
  ];
  return align([['fitted', ''], ...rows]);
}

function explainedBy({policer, queuePackets}: Assumed): string {
  if (policer !== null) return ', explained by the policer';
  return queuePackets === null ? '' : ', explained by the queue';
}

function timeTable({run, scenario}: OpenedCapture, explained: ExplainedTwin): string {
  const {twin, captureNs, twinNs} = explained;
  const [captured] = run.panes;
  if (captured === undefined) throw new RangeError('invalid run: it has no panes');
  const {page} = diffPages(
    {trace: new Trace(captured), options: whyOptionsOf(scenario, 0)},
    {trace: twin.trace, options: whyOptionsOf(twin.scenario, 0)},
  );
  const ratio = captureNs === null || twinNs === null ? '' : ` (${percent(twinNs / captureNs - 1)})`;
  const times = `page time from the first packet: capture ${milliseconds(ms(captureNs))} ms, twin ${milliseconds(ms(twinNs))} ms${ratio}`;
  return align([
    [times],
    ...fitLines(explained).map(line => [line]),
    ['causes, ms', 'capture', 'twin', 'difference'],
    ...causeRows([...page.sides.map(columnOf), differenceOf(page)]),
  ]);
}

/** Returns lines that say why the twin does not stand for the load. Empty if nothing speaks against it. */
function fitLines({isClose, incomplete}: ExplainedTwin): readonly string[] {
  if (incomplete !== null) return [`The captured load is incomplete, so it has no page time: ${incomplete}.`];
  return isClose === false ? ['The page times differ too much: this twin does not explain the captured load.'] : [];
}

function savingsText(explained: ExplainedTwin): string {
  const {savings, isClose} = explained;
  const rows = savings.map(({label, savedNs, attributedNs}) => [
    label,
    savedNs === null ? 'never complete' : milliseconds(savedNs / 1e6),
    milliseconds(attributedNs / 1e6),
  ]);
  const advice = isClose === false ? [] : [[adviceOf(explained)]];
  return align([['if, in the twin, …', 'saved, ms', 'attributed, ms'], ...rows, ...advice]);
}

function adviceOf({named}: ExplainedTwin): string {
  return named === null
    ? 'No fault of the path or the server stands out: whichever is taken away, less than a tenth of the page time is saved.'
    : `Look first at this: if ${named.label}, the page is complete ${milliseconds(ms(named.savedNs))} ms sooner.`;
}

function ms(ns: number | null): number | null {
  return ns === null ? null : ns / 1e6;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

function percent(share: number): string {
  return `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)} %`;
}
