import {type MouseEvent, type ReactNode, useEffect, useMemo, useState} from 'react';
import {useStore} from 'zustand';
import {Icon, type IconName} from '../kit/Icon.tsx';
import {shortcutKey} from '../kit/keyNames.ts';
import type {Theme} from '../kit/objectColours.ts';
import {readTyped} from '../kit/typedNumber.ts';
import {useTheme} from '../kit/useTheme.ts';
import {type AudienceState, type ShownStep, type ShownStory, SPEAKER_KEYS} from './messages.ts';
import type {SpeakerLink} from './speakerLink.ts';
import {followedText, leaderOf, leftS, minutesText, plannedS, shareOf} from './speakerTimes.ts';
import './speaker.css';

interface SpeakerViewProps {
  readonly link: SpeakerLink;
  /** Keeps the settings of the clock over a reload of the page. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>;
}

/**
 * The speaker's own screen: the notes, this step and the next, and the time, while another window shows the story to
 * the audience. Keys that are pressed here act on that window.
 */
export function SpeakerView({link, storage}: SpeakerViewProps) {
  const theme = useTheme(null);
  const nowMs = useNow();
  const windows = useStore(link.store, state => state.windows);
  const leader = useMemo(() => leaderOf(windows), [windows]);
  useGreeting(link, theme);
  useForwardedKeys(link);
  const state = leader?.[1] ?? null;
  return (
    <main className="speaker">
      <header className="speaker-head">
        <h1>{state?.story?.title ?? 'Speaker view'}</h1>
        <Times
          key={state?.story?.startedMs}
          story={state?.story ?? null}
          tS={state?.tS ?? 0}
          nowMs={nowMs}
          storage={storage}
        />
      </header>
      <p className="speaker-status" role="status">
        {statusText(state, windows.length)}
      </p>
      {state?.story != null && <Steps story={state.story} tS={state.tS} />}
      <Keys link={link} state={state} />
    </main>
  );
}

/** Says whether a window is connected, and what keeps the audience from seeing the story. */
function statusText(state: AudienceState | null, windows: number): ReactNode {
  if (state === null)
    return (
      <>
        No audience window is open. Open Interleave in another window of this browser; this view connects when it is
        there.
      </>
    );
  const others = followedText(windows, state);
  if (state.hasDialog) return `${others}A dialog is open in the audience’s window. Press Esc to close it.`;
  if (state.isBlank) return `${others}The audience’s screen is black. Press B to show the run again.`;
  if (state.story === null) return `${others}The audience’s window shows no story. Press S there to choose one.`;
  if (!state.isPresenting) return `${others}The audience’s window shows its controls. Press P for presenter mode.`;
  return others;
}

/** This step with its notes, and the next step. */
function Steps({story, tS}: {readonly story: ShownStory; readonly tS: number}) {
  const {step, steps} = story;
  const [shown, next] = [steps[step], steps[step + 1]];
  if (shown === undefined) return null;
  return (
    <div className="speaker-steps">
      <section className="speaker-this" aria-label="this step">
        <h2>
          Step {step + 1} of {steps.length}
        </h2>
        <p className="speaker-text">{shown.text || 'This step has no text.'}</p>
        <StepProgress shown={shown} tS={tS} />
        <section className="speaker-notes" aria-label="notes">
          {shown.notes === '' ? <p className="speaker-none">This step has no notes.</p> : notesOf(shown.notes)}
        </section>
      </section>
      <section className="speaker-next" aria-label="next step">
        <h2>{next === undefined ? 'This is the last step' : 'Next'}</h2>
        {next !== undefined && (
          <>
            <p className="speaker-text">{next.text || 'The next step has no text.'}</p>
            <Still svg={next.still} of="the next step" />
            {next.notes !== '' && <div className="speaker-next-notes">{notesOf(next.notes)}</div>}
          </>
        )}
        <h2 className="speaker-still-title">This step at its end</h2>
        <Still svg={shown.still} of="this step" />
      </section>
    </div>
  );
}

function notesOf(notes: string): ReactNode {
  return (
    notes
      .split('\n')
      .filter(line => line.trim() !== '')
      // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its position
      .map((line, k) => <p key={k}>{line}</p>)
  );
}

/** How far the step has played. */
function StepProgress({shown, tS}: {readonly shown: ShownStep; readonly tS: number}) {
  const {spanS} = shown;
  if (spanS === null) return <p className="speaker-progress">The length of this step is being computed.</p>;
  const share = shareOf(shown, tS);
  return (
    <p className="speaker-progress">
      <progress value={share} aria-label="how far the step has played" />
      {share >= 1 ? 'finished' : `t = ${tS.toFixed(1)} s of ${spanS[0].toFixed(1)} to ${spanS[1].toFixed(1)} s`}
    </p>
  );
}

/** The timeline at the end of a step; nothing until its run is computed. */
function Still({svg, of}: {readonly svg: string | null; readonly of: string}) {
  if (svg === null) return null;
  return (
    <img className="speaker-still" src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={`timeline of ${of}`} />
  );
}

interface TimesProps extends Pick<SpeakerViewProps, 'storage'> {
  readonly story: ShownStory | null;
  readonly tS: number;
  readonly nowMs: number;
}

/** The clock, the time since the story was started, and the time that is left. */
function Times({story, tS, nowMs, storage}: TimesProps) {
  const [duration, setDuration] = useKept(storage, 'interleave-speaker-minutes');
  const [restarted, setRestarted] = useKept(storage, `interleave-speaker-start ${story?.startedMs ?? ''}`);
  const minutes = duration.trim() === '' ? null : readTyped(duration);
  const isGood = minutes === null || (minutes !== undefined && minutes > 0 && minutes <= MOST_MINUTES);
  const durationS = isGood && minutes != null ? minutes * 60 : null;
  const startMs = restarted === '' ? (story?.startedMs ?? nowMs) : Number(restarted);
  const elapsedS = Math.max((nowMs - startMs) / 1000, 0);
  const left = story === null ? null : leftS(story, tS, elapsedS, durationS);
  const planned = story === null ? null : plannedS(story);
  return (
    <div className="speaker-times">
      <Time label="clock" text={new Date(nowMs).toLocaleTimeString([], {hour: '2-digit', minute: '2-digit'})} />
      <Time label="elapsed" text={story === null ? '–' : minutesText(elapsedS)} />
      <Time
        label={left !== null && left < 0 ? 'over' : 'left'}
        text={left === null ? '–' : minutesText(left)}
        isLate={left !== null && left < 0}
      />
      <div className="speaker-duration">
        <label>
          Talk of{' '}
          <input
            type="text"
            inputMode="decimal"
            aria-label="duration of the talk in minutes"
            aria-invalid={!isGood}
            title={isGood ? 'empty: the planned durations of the steps' : `more than 0, up to ${MOST_MINUTES} minutes`}
            placeholder={planned === null ? '–' : (planned / 60).toFixed(1)}
            value={duration}
            onChange={({target}) => setDuration(target.value)}
          />{' '}
          min
        </label>
        <button type="button" onClick={event => pressed(event, () => setRestarted(String(Date.now())))}>
          Restart time
        </button>
      </div>
    </div>
  );
}

function Time({
  label,
  text,
  isLate = false,
}: {
  readonly label: string;
  readonly text: string;
  readonly isLate?: boolean;
}) {
  return (
    <p className={`speaker-time${isLate ? ' speaker-late' : ''}`}>
      <span>{label}</span> <strong>{text}</strong>
    </p>
  );
}

/** The buttons for the most important keys. */
function Keys({link, state}: {readonly link: SpeakerLink; readonly state: AudienceState | null}) {
  const keys: readonly (readonly [key: string, icon: IconName | null, text: string, shown: string])[] = [
    ['PageUp', 'previous', 'Back', 'Page Up'],
    [' ', state?.isPlaying ? 'pause' : 'play', state?.isPlaying ? 'Pause' : 'Play', 'Space'],
    ['PageDown', 'next', 'Forwards', 'Page Down'],
    ['b', null, state?.isBlank ? 'Show the run' : 'Black', 'B'],
    ['p', 'present', state?.isPresenting ? 'Leave presenter mode' : 'Present', 'P'],
  ];
  return (
    <nav className="speaker-keys" aria-label="the audience’s window">
      {keys.map(([key, icon, text, shown]) => (
        <button
          key={key}
          type="button"
          disabled={state === null}
          className={key === 'PageDown' ? 'primary' : undefined}
          onClick={event => pressed(event, () => link.press(key))}
        >
          {icon !== null && <Icon name={icon} />} {text} <kbd>{shown}</kbd>
        </button>
      ))}
      <span className="speaker-none">The window’s keys that play the run or change the timeline work here, too.</span>
    </nav>
  );
}

/** Acts on a click. After a click with a pointer the button loses the focus, so that Space does not press it again. */
function pressed({currentTarget, detail}: MouseEvent<HTMLButtonElement>, act: () => void): void {
  act();
  if (detail > 0) currentTarget.blur();
}

function useGreeting(link: SpeakerLink, theme: Theme): void {
  useEffect(() => {
    link.setTheme(theme);
    const timer = window.setInterval(() => link.greet(), GREETING_MS);
    return () => window.clearInterval(timer);
  }, [link, theme]);
}

/** Sends the keys that are pressed here to the audience's window. */
function useForwardedKeys(link: SpeakerLink): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const {key, target, altKey, ctrlKey, metaKey} = event;
      const isOwn = target instanceof HTMLInputElement || (key === ' ' && target instanceof HTMLButtonElement);
      if (altKey || ctrlKey || metaKey || isOwn) return;
      const sent = shortcutKey(event, false);
      if (!SPEAKER_KEYS.includes(sent)) return;
      event.preventDefault();
      link.press(sent);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [link]);
}

/** The wall-clock time, ms since 1970. The component renders again several times a second. */
function useNow(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNowMs(Date.now()), 250);
    return () => window.clearInterval(timer);
  }, []);
  return nowMs;
}

/** A text that is kept over a reload of the page. */
function useKept(storage: SpeakerViewProps['storage'], key: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => storage.getItem(key) ?? '');
  const set = (next: string) => {
    setText(next);
    try {
      storage.setItem(key, next);
    } catch {
      // the browser's storage is full or cannot be used, so the text is not kept
    }
  };
  return [text, set];
}

/** The longest talk, minutes. */
const MOST_MINUTES = 600;
const GREETING_MS = 1000;
