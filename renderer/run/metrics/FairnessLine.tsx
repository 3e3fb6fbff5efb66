import {DIRECTION} from '../../../app/run/trace/columns.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {conversionNotes, placesOf} from '../../../app/telling/narration/conversions.ts';
import {isSetUpAlike, setUpNotes} from '../../../app/telling/narration/paneNotes.ts';
import {useSession} from '../../session/context.tsx';
import type {ShownRun} from '../../session/loads.ts';
import {browserOf, fromFilesText, livePathOfPane, namesOf, unalikeOf} from '../../session/sources.ts';
import {deliveredText, liveLoadText, seedText} from './fairness.ts';

interface FairnessLineProps {
  readonly run: ShownRun;
  readonly labels: readonly string[];
}

/** Shows what makes the comparison fair or unfair: the seed, the bytes, and what each pane lost. */
export function FairnessLine({run, labels}: FairnessLineProps) {
  const session = useSession();
  const {scenario, traces} = run;
  const panes = traces.map((trace, i) => {
    return `${labels[i]}: ${livePathOfPane(run, i) !== undefined ? liveText(trace) : lossText(trace)}`;
  });
  return (
    <footer className="honesty">
      {run.sources !== undefined && <FromFiles run={run} />}
      {run.live !== undefined && <span>{liveLoadText(scenario)}</span>}
      {run.sources === undefined && run.live === undefined && (
        <span>
          {seedText(scenario)}{' '}
          <button type="button" className="is-luck" onClick={() => session.togglePanel('seeds')} title="many seeds (D)">
            Is that luck?
          </button>
        </span>
      )}
      <span>{deliveredText(traces)}</span>
      {unalikeText(run).map(text => (
        <span key={text}>{text}</span>
      ))}
      {panes.map((text, pane) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a pane is identified by its position
        <span key={pane}>{text}</span>
      ))}
    </footer>
  );
}

/**
 * The files that the panes come from, and how their runs differ. If they do not differ, their common seed, or for live
 * runs their common path.
 */
function FromFiles({run}: Pick<FairnessLineProps, 'run'>) {
  const {notes} = unalikeOf(run);
  const isLive = run.scenario.path.live !== undefined;
  const alike = isLive ? liveLoadText(run.scenario) : seedText(run.scenario);
  return [fromFilesText(run), ...(notes.length === 0 ? [alike] : notes)].map(text => <span key={text}>{text}</span>);
}

/** What gateways convert, how panes differ before the first GET, and the priorities of the browser. */
function unalikeText(run: ShownRun): readonly string[] {
  const {scenario, page} = run;
  const {panes} = scenario;
  return [
    ...conversionNotes(page, panes, placesOf(panes)),
    ...(isSetUpAlike(panes) ? [] : setUpNotes(panes, namesOf(run))),
    ...[browserOf(run)].filter(text => text !== ''),
  ];
}

/** What is known about a live load: only what the client saw. */
function liveText(trace: Trace): string {
  const {length} = trace.data.packets.sentNs;
  return length === 0
    ? 'live over the kernel’s transport: packets are not known'
    : `live, ${length} packets seen; losses are not known`;
}

function lossText(trace: Trace): string {
  const {packets} = trace.data;
  const dropped = trace.droppedPackets();
  const down = dropped.filter(row => packets.direction[row] === DIRECTION.down).length;
  const up = dropped.length - down;
  return `${down} packets lost down, ${up} up, of ${packets.sentNs.length}`;
}
