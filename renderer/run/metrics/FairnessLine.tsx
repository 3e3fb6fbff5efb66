import {DIRECTION} from '../../../app/run/trace/columns.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {conversionNotes, conversionsText, placesOf} from '../../../app/telling/narration/conversions.ts';
import {isSetUpAlike, setUpNotes} from '../../../app/telling/narration/paneNotes.ts';
import {useSession} from '../../session/context.tsx';
import type {ShownRun} from '../../session/loads.ts';
import {browserOf, fromFilesText, livePathOfPane, namesOf, recordedOf, unalikeOf} from '../../session/sources.ts';
import {deliveredText, fairnessText, liveLoadText, seedText} from './fairness.ts';
import './fairness.css';

interface FairnessLineProps {
  readonly run: ShownRun;
  readonly labels: readonly string[];
}

/**
 * Shows in one line what makes the comparison fair or unfair. When the user opens the details, they appear above the
 * line: what the seed makes equal, how many bytes arrived, how the set-ups differ, what each pane lost, and a button
 * that asks whether the result was luck.
 */
export function FairnessLine({run, labels}: FairnessLineProps) {
  const session = useSession();
  const {traces} = run;
  const isOwn = run.sources === undefined && run.live === undefined;
  const panes = traces.map((trace, i) => {
    const {captured} = run.scenario.panes[i] ?? {};
    if (captured !== undefined) return `${labels[i]}: ${capturedLossText(trace)}`;
    return `${labels[i]}: ${livePathOfPane(run, i) !== undefined ? liveText(trace) : lossText(trace)}`;
  });
  const details = [...(isOwn ? [seedText(run.scenario)] : []), deliveredText(traces), ...unalikeText(run), ...panes];
  return (
    <footer className="honesty">
      <details>
        <summary>{summaryOf(run)}</summary>
        <div className="honesty-details">
          <ul>
            {details.map((text, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the details have a fixed order
              <li key={i}>{text}</li>
            ))}
          </ul>
          {isOwn && (
            <button
              type="button"
              className="is-luck"
              onClick={({currentTarget}) => {
                session.togglePanel('seeds');
                // the details would cover the seeds
                currentTarget.closest('details')?.removeAttribute('open');
              }}
              title="many seeds (D)"
            >
              Is that luck?
            </button>
          )}
        </div>
      </details>
    </footer>
  );
}

/**
 * The text of the line. For a simulated run it says what the panes share, and for a live run it names the path. For
 * trace files it first names the files. It then says how their runs differ. If they do not differ, the text for a
 * simulated or live run follows; captured loads have no such text.
 */
function summaryOf(run: ShownRun): string {
  const {scenario} = run;
  const isLive = scenario.path.live !== undefined;
  if (run.sources === undefined) return isLive ? liveLoadText(scenario) : fairnessText(scenario, unequalOf(run));
  const {notes} = unalikeOf(run);
  if (scenario.path.captured !== undefined && notes.length === 0) return fromFilesText(run);
  const alike = isLive ? liveLoadText(scenario) : fairnessText(scenario, unequalOf(run));
  return [fromFilesText(run), ...(notes.length === 0 ? [alike] : notes)].join(' · ');
}

/**
 * What differs between the panes besides their pipelines, one word for each difference. The details explain the
 * differences.
 */
function unequalOf({scenario: {panes}}: ShownRun): readonly string[] {
  return [...(isSetUpAlike(panes) ? [] : ['set-up']), ...(conversionsText(panes) === '' ? [] : ['pictures'])];
}

/**
 * What gateways convert, how panes differ before the first GET, which browser and server are modelled, and how much of
 * a recorded page was loaded.
 */
function unalikeText(run: ShownRun): readonly string[] {
  const {scenario, page} = run;
  const {panes} = scenario;
  return [
    ...conversionNotes(page, panes, placesOf(panes)),
    ...(isSetUpAlike(panes) ? [] : setUpNotes(panes, namesOf(run))),
    ...[browserOf(run), recordedOf(run)].filter(text => text !== ''),
  ];
}

/** What is known about a live load: only what the client saw. */
function liveText(trace: Trace): string {
  const {length} = trace.data.packets.sentNs;
  return length === 0
    ? 'live over the kernel’s transport: packets are not known'
    : `live, ${length} packets seen; losses are not known`;
}

/**
 * The number of recorded packets, and how many of them are known to be lost. A recording at one end does not show all
 * losses, because some packets that the other end sends are lost before they are seen.
 */
function capturedLossText(trace: Trace): string {
  const packets = trace.data.packets.sentNs.length;
  if (packets === 0) return 'the recording has no packets';
  return `${packets} packets recorded, of which ${trace.droppedPackets().length} are known to be lost`;
}

function lossText(trace: Trace): string {
  const {packets} = trace.data;
  const dropped = trace.droppedPackets();
  const down = dropped.filter(row => packets.direction[row] === DIRECTION.down).length;
  const up = dropped.length - down;
  return `${down} packets lost down, ${up} up, of ${packets.sentNs.length}`;
}
