import {DIRECTION} from '../../app/trace/columns.ts';
import type {Trace} from '../../app/trace/trace.ts';
import type {ShownRun} from '../store/loads.ts';

interface HonestyLineProps {
  readonly run: ShownRun;
  readonly labels: readonly string[];
}

/** What makes the comparison fair, or not: seed, losses and stack of each side, the same bytes. */
export function HonestyLine({run, labels}: HonestyLineProps) {
  const {scenario, page, traces} = run;
  const bytes = page.objects.reduce((sum, object) => sum + (object.body?.length ?? 0), 0);
  const panes = traces.map((trace, i) => `${labels[i]}: ${lossText(trace)}`);
  return (
    <footer className="honesty">
      <span>seed {scenario.seed}, the same losses packet by packet</span>
      <span>{(bytes / 1000).toFixed(1)} KB on every side</span>
      {panes.map((text, pane) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a pane is its place
        <span key={pane}>{text}</span>
      ))}
    </footer>
  );
}

function lossText(trace: Trace): string {
  const {packets} = trace.data;
  const dropped = trace.droppedPackets();
  const down = dropped.filter(row => packets.direction[row] === DIRECTION.down).length;
  const up = dropped.length - down;
  return `${down} lost down, ${up} up of ${packets.sentNs.length}`;
}
