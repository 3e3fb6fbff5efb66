import {type FormEvent, useState} from 'react';
import {useStore} from 'zustand';
import {messageOf} from '../../../app/base/text.ts';
import {numberOf} from '../../../app/run/cause/losses.ts';
import {lossName} from '../../../app/telling/movie/options.ts';
import {saveBytes, savePng, saveSvg} from '../../kit/savedFile.ts';
import {useModal} from '../../kit/useModal.ts';
import {recordCommand} from '../../movie/recordCommand.ts';
import {timelinePanes} from '../../run/timeline/timelinePanes.ts';
import {timelinePng} from '../../run/timeline/timelinePng.ts';
import {timelineSvg} from '../../run/timeline/timelineSvg.ts';
import {useEye, useSession, useSessionState, useStateOf} from '../../session/context.tsx';
import {RecordFields} from './RecordFields.tsx';
import {chosenLook, chosenMovie, chosenTimes, FIRST_CHOICE, KINDS, type RecordChoice} from './recordChoice.ts';
import {RECORDER} from './recorder.ts';
import './recording.css';

/** Records a movie, a still, a filmstrip or the timeline of the run on screen. */
export function RecordDialog() {
  const session = useSession();
  const isOpen = useSessionState(state => state.view.dialog === 'record');
  const scenario = useSessionState(state => state.scenario);
  const run = useSessionState(state => state.run);
  const version = useSessionState(state => state.version);
  const eye = useEye();
  const recorder = useStateOf(RECORDER);
  const isBusy = useStore(recorder.store, state => state.kind === 'busy');
  const [choice, setChoice] = useState(FIRST_CHOICE);
  const story = useSessionState(state => state.story);
  const [isWhole, setWhole] = useState(true);
  /** The story to record instead of the run; null to record the run. */
  const recordedStory = isWhole && choice.kind === 'movie' ? story : null;
  const [problem, setProblem] = useState<string | null>(null);
  const dialog = useModal(isOpen, () => {
    const {view, run, chosenLoss} = session.store.getState();
    const {timeline, axis, thresholds} = view;
    const loss = chosenLoss === null ? null : numberOf(run?.traces ?? [], chosenLoss);
    const theme = document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light';
    setChoice(before => ({
      ...before,
      look: {...before.look, theme, timeline, axis, thresholds, loss: loss === null ? '' : lossName(loss)},
      at: String(session.player.tNs / 1e9),
    }));
  });

  const name = choice.name.trim() || `interleave-seed-${scenario.seed}`;
  const movie = chosenMovie(choice);
  /** Starts the recording. Returns a message if the choice is invalid, otherwise null. */
  const start = (): string | null => {
    if (choice.kind === 'movie') {
      if (!movie.ok) return movie.message;
      void recorder.record(scenario, recordedStory, movie.value, name);
      return null;
    }
    const [look, times] = [chosenLook(choice), chosenTimes(choice)];
    if (!look.ok) return look.message;
    if (!times.ok) return times.message;
    if (choice.kind === 'timeline') {
      if (run === null) return 'there is no run yet';
      const picture = {
        panes: timelinePanes(run),
        scenario: run.scenario,
        look: look.value,
        eye,
        tNs: times.value[0] ?? 0,
      };
      if (choice.timelineFormat === 'svg') saveSvg(`${name}.svg`, timelineSvg(picture), version);
      else {
        timelinePng(picture, choice.scale).then(
          png => savePng(`${name}.png`, png, version),
          (error: unknown) => recorder.show({kind: 'failed', message: messageOf(error)}),
        );
      }
      return null;
    }
    const {kind, scale} = choice;
    void recorder.takePicture(scenario, look.value, {kind, timesNs: times.value, scale}).then(png => {
      if (png !== undefined) saveBytes(`${name}.png`, png, 'image/png');
    });
    return null;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = start();
    setProblem(wrong);
    if (wrong === null) session.display.closeDialog('record');
  };
  const change = (part: Partial<RecordChoice>) => setChoice({...choice, ...part});
  return (
    <dialog ref={dialog} className="record" onClose={() => session.display.closeDialog('record')}>
      <form onSubmit={submit}>
        <h2>Record</h2>
        <fieldset className="segments">
          {KINDS.map(kind => (
            <button key={kind} type="button" aria-pressed={choice.kind === kind} onClick={() => change({kind})}>
              {kind}
            </button>
          ))}
        </fieldset>
        {story !== null && choice.kind === 'movie' && (
          <label className="record-story">
            <input type="checkbox" checked={isWhole} onChange={({target}) => setWhole(target.checked)} /> the whole
            story ‘{story.title}’, each step with its own timeline, speed and times
          </label>
        )}
        <RecordFields choice={choice} onChange={change} />
        {isOpen &&
          choice.kind === 'movie' &&
          recordedStory === null &&
          movie.ok &&
          run?.sources === undefined &&
          run?.live === undefined && (
            <details>
              <summary>the same on the command line</summary>
              <code>{recordCommand(scenario, movie.value)}</code>
            </details>
          )}
        {problem !== null && <p className="refused">{problem}</p>}
        <p className="dialog-buttons">
          <button type="submit" disabled={isBusy}>
            {isBusy ? 'A recording is under way' : choice.kind === 'movie' ? 'Record' : 'Save'}
          </button>
          <button type="button" onClick={() => session.display.closeDialog('record')}>
            Close
          </button>
        </p>
      </form>
    </dialog>
  );
}
