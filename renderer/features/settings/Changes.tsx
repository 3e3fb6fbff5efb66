import {rateText, shortLossText} from '../../../app/run/scenario/describe.ts';
import type {Change} from '../../../app/run/scenario/scenario.ts';
import {Icon} from '../../kit/Icon.tsx';
import {Section} from '../../kit/Section.tsx';
import {useSession, useSessionState} from '../../session/context.tsx';

/**
 * Chooses whether changes of the path apply to the whole run, or only from t on. Here t is the time that the window
 * shows.
 */
export function ChangesHold() {
  const isFromNow = useSessionState(state => state.view.isFromNow);
  const session = useSession();
  const choose = (isNow: boolean) => () => session.display.set({isFromNow: isNow});
  return (
    <fieldset className="holds">
      <legend>Changes of the path apply</legend>
      <div className="segments">
        <label>
          <input type="radio" name="holds" checked={!isFromNow} onChange={choose(false)} /> for the whole run
        </label>
        <label>
          <input type="radio" name="holds" checked={isFromNow} onChange={choose(true)} /> from t on
        </label>
      </div>
      {isFromNow && (
        <p className="note">Loss, rate, RTT and queue change at t. All other settings are for the whole run.</p>
      )}
    </fieldset>
  );
}

/**
 * The list of timed changes. It is below the path's settings: a drag that adds changes must not move the slider that
 * the user drags.
 */
export function ChangeList() {
  const changes = useSessionState(state => state.scenario.changes);
  const session = useSession();
  if (changes.length === 0) return null;
  return (
    <Section name="changes" title="Timed changes" hint={`${changes.length}`}>
      <ol className="changes">
        {changes.map((change, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: changes have no other key, and there are few
          <li key={index}>
            <button type="button" className="quiet" onClick={() => session.player.seek(change.atMs * 1e6)}>
              {(change.atMs / 1000).toFixed(1)} s
            </button>{' '}
            {changeText(change)}
            <button
              type="button"
              className="quiet"
              aria-label={`remove the change at ${change.atMs / 1000} s`}
              onClick={() => session.history.removeChange(index)}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** Returns a text such as `loss 10 %, rate down 56 kbit/s`. */
function changeText({path}: Change): string {
  const {rateBps, rttMs, loss, queuePackets} = path;
  return [
    bothText('loss', loss, shortLossText),
    bothText('rate', rateBps, rateText),
    bothText('RTT', rttMs, each => `${each} ms`),
    bothText('queue', queuePackets, each => `${each} packets`),
  ]
    .filter(text => text !== '')
    .join(', ');
}

function bothText<T>(name: string, {down, up}: {down?: T; up?: T}, each: (value: T) => string): string {
  if (down !== undefined && JSON.stringify(down) === JSON.stringify(up)) return `${name} ${each(down)}`;
  const parts = [
    ...(down === undefined ? [] : [`${name} down ${each(down)}`]),
    ...(up === undefined ? [] : [`${name} up ${each(up)}`]),
  ];
  return parts.join(', ');
}
