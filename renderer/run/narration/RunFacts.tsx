import {useEffect, useMemo, useState} from 'react';
import type {Eye} from '../../../app/run/quality/states.ts';
import {enoughStreamsText, firstPictureText, sentAgainText} from '../../../app/telling/narration/runFacts.ts';
import {useSession} from '../../session/context.tsx';
import type {ShownRun} from '../../session/loads.ts';
import type {Player} from '../../session/player.ts';
import {namesOf, unalikeOf} from '../../session/sources.ts';
import {moreStreamsRoomIn, tryMoreStreams} from './moreStreams.ts';
import {TextAt} from './TextAt.tsx';

interface RunFactsProps {
  readonly run: ShownRun;
  readonly player: Player;
  readonly eye: Eye | null;
  /** Whether the facts reveal nothing after t. */
  readonly isUpToT: boolean;
}

/** What each pane sent again, when it had its first complete picture, and whether more streams would help. */
export function RunFacts({run, player, eye, isUpToT}: RunFactsProps) {
  const {sentAgain, firstPicture, enoughStreams} = useMemo(() => {
    const compared = {traces: run.traces, names: namesOf(run)};
    const at = (tNs: number): number => (isUpToT ? tNs : Number.POSITIVE_INFINITY);
    return {
      sentAgain: (tNs: number) => sentAgainText(compared, at(tNs)),
      firstPicture: (tNs: number) => firstPictureText(compared, eye, at(tNs)),
      enoughStreams: enoughStreamsText(compared, run.scenario),
    };
  }, [run, eye, isUpToT]);
  const moreStreams = useMoreStreams(run);
  const room = useMemo(() => moreStreamsRoomIn(run), [run]);
  // panes with different pages are not compared, and of a live load only the client's side is known
  if (unalikeOf(run).page || run.live !== undefined) return null;
  const streams = isUpToT ? '' : enoughStreams || moreStreams;
  return (
    <p className="run-facts">
      <TextAt player={player} text={sentAgain} />
      <TextAt player={player} text={firstPicture} />
      {streams !== '' && <span>{streams}</span>}
      {/* what is below does not move when the text is computed */}
      {streams === '' && room !== null && !isUpToT && (
        <span className="run-facts-room" aria-hidden="true">
          {room}
        </span>
      )}
    </p>
  );
}

/** Whether more streams would help; empty until it is computed. Computed when the window has nothing else to do. */
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

/** While a slider moves, its runs follow each other faster than this, and none of them needs another run. */
const REST_MS = 300;
