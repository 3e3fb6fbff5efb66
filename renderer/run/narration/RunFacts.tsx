import {type CSSProperties, useEffect, useMemo, useState} from 'react';
import {packetsText} from '../../../app/run/cause/losses.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import {
  enoughStreamsText,
  firstPictureAt,
  firstPictureText,
  havePictures,
  noLossText,
  sentAgainCount,
  sentAgainText,
} from '../../../app/telling/narration/runFacts.ts';
import {useSession, useSessionState} from '../../session/context.tsx';
import type {ShownRun} from '../../session/loads.ts';
import type {Player} from '../../session/player.ts';
import {namesOf, unalikeOf} from '../../session/sources.ts';
import {moreStreamsRoomIn, tryMoreStreams} from './moreStreams.ts';
import {TextAt} from './TextAt.tsx';

interface RunFactsProps {
  readonly run: ShownRun;
  readonly player: Player;
  readonly eye: Eye | null;
  /** Whether the facts tell only what happened until t. Otherwise they tell everything. */
  readonly isUpToT: boolean;
}

/**
 * Facts about a run: how many packets each pane sent again, and when it had its first complete picture. One or two
 * panes have sentences, which also count the packets that queues marked. More panes have a table. If `isUpToT` is
 * false, a note can follow, which says that no packet was lost, or whether more streams would help.
 */
export function RunFacts({run, player, eye, isUpToT}: RunFactsProps) {
  const enoughStreams = useMemo(
    () => enoughStreamsText({traces: run.traces, names: namesOf(run)}, run.scenario),
    [run],
  );
  const noLoss = useMemo(() => noLossText(run.traces, run.scenario), [run]);
  const moreStreams = useMoreStreams(run);
  const room = useMemo(() => moreStreamsRoomIn(run), [run]);
  // panes with different pages are not compared, and of a live load only the client's side is known
  if (unalikeOf(run).page || run.live !== undefined) return null;
  const note = isUpToT ? '' : noLoss || enoughStreams || moreStreams;
  const isTable = run.traces.length > 2;
  const Facts = isTable ? FactsTable : FactsSentences;
  return (
    <div className="run-facts" data-panes={run.traces.length}>
      <Facts run={run} player={player} eye={eye} isUpToT={isUpToT} />
      {note !== '' && <span>{note}</span>}
      {/* keeps the room of the note, so that nothing below moves when the note is computed */}
      {note === '' && room !== null && !isUpToT && (
        <span className="run-facts-room" aria-hidden="true">
          {room}
        </span>
      )}
    </div>
  );
}

function FactsSentences({run, player, eye, isUpToT}: RunFactsProps) {
  const {sentAgain, firstPicture} = useMemo(() => {
    const compared = {traces: run.traces, names: namesOf(run)};
    const at = atOf(isUpToT);
    return {
      sentAgain: (tNs: number) => sentAgainText(compared, at(tNs)),
      firstPicture: (tNs: number) => firstPictureText(compared, eye, at(tNs)),
    };
  }, [run, eye, isUpToT]);
  return (
    <>
      <TextAt player={player} text={sentAgain} />
      <TextAt player={player} text={firstPicture} className={useIsMeasuring() ? 'run-facts-room' : undefined} />
    </>
  );
}

function FactsTable({run, player, eye, isUpToT}: RunFactsProps) {
  const names = namesOf(run);
  const isMeasuring = useIsMeasuring();
  const columns = useMemo(() => {
    const at = atOf(isUpToT);
    return run.traces.map(trace => ({
      sentAgain: (tNs: number) => packetsText(sentAgainCount(trace, at(tNs))),
      firstPicture: (tNs: number) => firstPictureAt(trace, eye, at(tNs)).replace(/^at /, ''),
    }));
  }, [run, eye, isUpToT]);
  return (
    <table className="facts-table" style={{'--rows': columns.length + 1} as CSSProperties}>
      <thead>
        <tr>
          <td />
          {columns.map((_, pane) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pane is identified by its position
            <th key={pane} scope="col">
              {names[pane]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">{isUpToT ? 'sent again' : 'sent again (whole run)'}</th>
          {columns.map(({sentAgain}, pane) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same reason
            <td key={pane}>
              <TextAt player={player} text={sentAgain} />
            </td>
          ))}
        </tr>
        {havePictures(run.traces, eye) && (
          <tr>
            <th scope="row">first complete picture</th>
            {columns.map(({firstPicture}, pane) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same reason
              <td key={pane}>
                <TextAt player={player} text={firstPicture} className={isMeasuring ? 'run-facts-room' : undefined} />
              </td>
            ))}
          </tr>
        )}
      </tbody>
    </table>
  );
}

/**
 * Whether pictures are being measured. The measurement shows which pictures are logos. Logos do not count, so before it
 * ends, the time of the first complete picture is not known.
 */
function useIsMeasuring(): boolean {
  return useSessionState(state => state.qualityProgress !== null);
}

/** The time up to which facts are told: t, or the end of the run if the facts may reveal everything. */
function atOf(isUpToT: boolean): (tNs: number) => number {
  return tNs => (isUpToT ? tNs : Number.POSITIVE_INFINITY);
}

/**
 * A text that says whether more streams would help; empty until it is computed. The computation begins when the run has
 * been on screen for {@link REST_MS}.
 */
function useMoreStreams(run: ShownRun): string {
  const {host} = useSession();
  const [found, setFound] = useState<{readonly run: ShownRun; readonly text: string} | null>(null);
  useEffect(() => {
    let search: ReturnType<typeof tryMoreStreams> = null;
    let isOver = false;
    const timer = setTimeout(() => {
      search = tryMoreStreams(host, run);
      void search?.text.then(text => isOver || setFound({run, text}));
    }, REST_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
      search?.cancel();
    };
  }, [host, run]);
  return found?.run === run ? found.text : '';
}

/**
 * How long a run must be on screen before the computation begins, ms. While a slider moves, runs are replaced sooner,
 * so the computation does not begin for them.
 */
const REST_MS = 300;
