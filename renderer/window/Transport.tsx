import {useEffect, useRef} from 'react';
import {speedText} from '../../app/telling/movie/speed.ts';
import {Icon} from '../kit/Icon.tsx';
import {readTyped} from '../kit/typedNumber.ts';
import {useTheme} from '../kit/useTheme.ts';
import {Thumbnails} from '../run/thumbnails/Thumbnails.tsx';
import {usePlayerState, useSession, useSessionState} from '../session/context.tsx';
import {SPEEDS} from './playing.ts';

/** The controls for playing. The scrubber and the field for t follow the player outside of React. */
export function Transport() {
  const session = useSession();
  const {player} = session;
  const {isPlaying, speed, chosenSpeed, endNs} = usePlayerState();
  const run = useSessionState(state => state.run);
  const theme = useTheme(useSessionState(state => state.view.theme));
  const scrubber = useRef<HTMLInputElement>(null);
  const time = useRef<HTMLInputElement>(null);
  // subscribes again when the run's length changes: t may stay, but its share of the run does not
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scrubber's range depends on endNs
  useEffect(
    () =>
      player.onTime(tNs => {
        if (scrubber.current !== null) {
          scrubber.current.valueAsNumber = tNs / 1e6;
          scrubber.current.setAttribute('aria-valuetext', `${seconds(tNs)} s`);
          scrubber.current.style.setProperty('--share', String(tNs / Math.max(player.state.endNs, 1)));
        }
        if (time.current !== null && document.activeElement !== time.current) {
          time.current.value = seconds(tNs);
        }
      }),
    [player, endNs],
  );
  const step = (toNs: number): Promise<void> => {
    player.pause();
    return player.seek(toNs);
  };
  return (
    <>
      <div className="scrub">
        <input
          ref={scrubber}
          className="scrubber"
          type="range"
          aria-label="scrub, milliseconds"
          min={0}
          max={endNs / 1e6}
          step="any"
          defaultValue={0}
          onChange={event => step(event.target.valueAsNumber * 1e6)}
        />
        {run !== null && <Thumbnails run={run} endNs={endNs} player={player} theme={theme} />}
      </div>
      <div className="playing" role="toolbar" aria-label="playing">
        <button
          type="button"
          className="play primary"
          onClick={() => (isPlaying ? player.pause() : player.play())}
          title={isPlaying ? 'pause (space)' : 'play (space)'}
          aria-label={isPlaying ? 'pause' : 'play'}
        >
          <Icon name={isPlaying ? 'pause' : 'play'} />
        </button>
        <label className="time">
          t{' '}
          <input
            ref={time}
            type="text"
            inputMode="decimal"
            aria-label="t in seconds"
            onKeyDown={event => {
              if (event.key !== 'Enter') return;
              const field = event.currentTarget;
              const typed = readTyped(field.value);
              delete field.dataset['shown'];
              if (typed !== undefined) void step(typed * 1e9).then(() => markShown(field, typed));
              field.blur();
            }}
            onBlur={event => {
              event.target.value = seconds(player.tNs);
            }}
          />{' '}
          s
        </label>
        <label className="speed">
          speed{' '}
          <select
            value={chosenSpeed}
            onChange={({target: {value}}) => player.setSpeed(value === 'auto' ? value : Number(value))}
          >
            <option value="auto">auto</option>
            {chosenSpeed === 'auto' || SPEEDS.includes(speed) || <option value={speed}>{speed}×</option>}
            {SPEEDS.map(each => (
              <option key={each} value={each}>
                {each}×
              </option>
            ))}
          </select>
        </label>
        <span className="speed-told">{speedText(speed)}</span>
      </div>
    </>
  );
}

function seconds(tNs: number): string {
  return (tNs / 1e9).toFixed(2);
}

/**
 * Writes the typed t, s, into the field's attribute `data-shown` after everything shows this time. Programs that drive
 * the window wait for the attribute.
 */
function markShown(field: HTMLElement, shown: number): void {
  field.dataset['shown'] = String(shown);
}
