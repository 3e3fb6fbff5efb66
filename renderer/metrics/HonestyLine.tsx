import {shortNames} from '../../app/pipelines/paneLabels.ts';
import {conversionNotes, placesOf} from '../../app/stage/conversions.ts';
import {isSetUpAlike, setUpNotes} from '../../app/stage/setUp.ts';
import {DIRECTION} from '../../app/trace/columns.ts';
import type {Trace} from '../../app/trace/trace.ts';
import {useSession} from '../store/context.ts';
import type {ShownRun} from '../store/loads.ts';
import {deliveredText, seedText} from './fairness.ts';

interface HonestyLineProps {
  readonly run: ShownRun;
  readonly labels: readonly string[];
}

/** What makes the comparison fair, or not: seed, bytes, and what each side lost. */
export function HonestyLine({run, labels}: HonestyLineProps) {
  const session = useSession();
  const {scenario, traces} = run;
  const panes = traces.map((trace, i) => `${labels[i]}: ${lossText(trace)}`);
  return (
    <footer className="honesty">
      <span>
        {seedText(scenario)}{' '}
        <button
          type="button"
          className="is-luck"
          onClick={() => session.togglePanel('seeds')}
          title="many seeds (D)"
        >
          Is that luck?
        </button>
      </span>
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

/** What gateways do; and what is not alike before the first GET, and of who knows the path. */
function unalikeText({scenario: {panes}, page}: ShownRun): readonly string[] {
  return [
    ...conversionNotes(page, panes, placesOf(panes)),
    ...(isSetUpAlike(panes) ? [] : setUpNotes(panes, shortNames(panes))),
  ];
}

function lossText(trace: Trace): string {
  const {packets} = trace.data;
  const dropped = trace.droppedPackets();
  const down = dropped.filter(row => packets.direction[row] === DIRECTION.down).length;
  const up = dropped.length - down;
  return `${down} lost down, ${up} up of ${packets.sentNs.length}`;
}
