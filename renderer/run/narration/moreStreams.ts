import type {Host} from '../../../app/host/contract.ts';
import {scenarioDocument} from '../../../app/run/scenario/document.ts';
import {decodeRun} from '../../../app/run/trace/runFile.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {
  type FewStreams,
  fewStreamsOf,
  moreStreamsRoom,
  moreStreamsText,
} from '../../../app/telling/narration/runFacts.ts';
import type {ShownRun} from '../../session/loads.ts';
import {namesOf} from '../../session/sources.ts';

/** The computation of what more streams would change. It can be cancelled when its result is no longer needed. */
export interface Search {
  /** What more streams would change; empty if nothing can be said. */
  readonly text: Promise<string>;
  cancel(): void;
}

/**
 * Computes the load of one pane again, with a stream for each embedded object ({@link FewStreams}), and compares the
 * times. The path and the seed are the same. The pane is the first one that has too few streams. Null if there is no
 * such pane, or if the run cannot be computed again, because it is live or comes from files.
 */
export function tryMoreStreams(host: Pick<Host, 'load' | 'cancelLoad'>, run: ShownRun): Search | null {
  const few = fewIn(run);
  if (few === null) return null;
  const name = crypto.randomUUID();
  return {
    text: textOf(host, run, few, name).catch(() => ''),
    cancel: () => void host.cancelLoad(name).catch(() => undefined),
  };
}

/** A text that needs as much room as the result of {@link tryMoreStreams}; null if that returns null. */
export function moreStreamsRoomIn(run: ShownRun): string | null {
  const few = fewIn(run);
  return few === null ? null : moreStreamsRoom(few, namesOf(run)[few.pane] ?? '');
}

function fewIn(run: ShownRun): FewStreams | null {
  return run.sources !== undefined || run.scenario.path.live !== undefined ? null : fewStreamsOf(run, run.scenario);
}

async function textOf(host: Pick<Host, 'load'>, run: ShownRun, few: FewStreams, name: string): Promise<string> {
  const {scenario, page} = run;
  const [pane, now] = [scenario.panes[few.pane], run.traces[few.pane]];
  if (pane === undefined || now === undefined) return '';
  const document = scenarioDocument({...scenario, panes: [{...pane, streams: few.wanted} as typeof pane]});
  const answer = await host.load(document, page.hash, name);
  if (!answer.ok) return '';
  const decoded = decodeRun(answer.run);
  const data = decoded.ok ? decoded.run.panes[0] : undefined;
  return data === undefined ? '' : moreStreamsText(few, namesOf(run)[few.pane] ?? '', now, new Trace(data));
}
