import {DIRECTION} from '../../../app/run/trace/columns.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {conversionNotes, placesOf} from '../../../app/telling/narration/conversions.ts';
import {isSetUpAlike, setUpNotes} from '../../../app/telling/narration/paneNotes.ts';
import {useSession} from '../../session/context.ts';
import type {ShownRun} from '../../session/loads.ts';
import {browserOf, fromFilesText, livePathOfPane, namesOf, unalikeOf} from '../../session/sources.ts';
import {deliveredText, liveLoadText, seedText} from './fairness.ts';

interface HonestyLineProps {
  readonly run: ShownRun;
  readonly labels: readonly string[];
}

/** What makes the comparison fair, or not: seed, bytes, and what each side lost. */
export function HonestyLine({run, labels}: HonestyLineProps) {
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
        // biome-ignore lint/suspicious/noArrayIndexKey: a pane is its place
        <span key={pane}>{text}</span>
      ))}
    </footer>
  );
}

/** Where panes are from; and what is not alike between their runs, or if nothing is, the seed that all have. */
function FromFiles({run}: Pick<HonestyLineProps, 'run'>) {
  const {notes} = unalikeOf(run);
  const isLive = run.scenario.path.live !== undefined;
  const alike = isLive ? liveLoadText(run.scenario) : seedText(run.scenario);
  return [fromFilesText(run), ...(notes.length === 0 ? [alike] : notes)].map(text => <span key={text}>{text}</span>);
}

/** What gateways do; and what is not alike before the first GET, and of who knows the path. */
function unalikeText(run: ShownRun): readonly string[] {
  const {scenario, page} = run;
  const {panes} = scenario;
  return [
    ...conversionNotes(page, panes, placesOf(panes)),
    ...(isSetUpAlike(panes) ? [] : setUpNotes(panes, namesOf(run))),
    ...[browserOf(run)].filter(text => text !== ''),
  ];
}

/** What a client alone can know. */
function liveText(trace: Trace): string {
  const {length} = trace.data.packets.sentNs;
  return length === 0
    ? 'live by the kernel, which keeps its packets'
    : `live, ${length} packets seen, what was lost not known`;
}

function lossText(trace: Trace): string {
  const {packets} = trace.data;
  const dropped = trace.droppedPackets();
  const down = dropped.filter(row => packets.direction[row] === DIRECTION.down).length;
  const up = dropped.length - down;
  return `${down} lost down, ${up} up of ${packets.sentNs.length}`;
}
