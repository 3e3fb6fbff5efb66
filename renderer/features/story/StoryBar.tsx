import {useStore} from 'zustand';
import {Icon} from '../../kit/Icon.tsx';
import {StoryLine} from '../../movie/StoryLine.tsx';
import {usePlayerState, useSession, useStateOf} from '../../session/context.tsx';
import {openSpeaker} from './audience.ts';
import {StoryText} from './StoryText.tsx';
import {STORY_PLAYER} from './sessionStoryPlayer.ts';
import type {StoryPlayer} from './storyPlayer.ts';
import './story.css';

/** The text of the current step, and buttons for users who have no page turner (a presenter's remote control). */
export function StoryBar() {
  const session = useSession();
  const storyPlayer = useStateOf(STORY_PLAYER);
  const story = useStore(storyPlayer.store, state => state.story);
  const step = useStore(storyPlayer.store, state => state.step);
  const isPanelOpen = useStore(storyPlayer.store, state => state.isPanelOpen);
  const {isPlaying} = usePlayerState();
  const isShown = useStore(storyPlayer.store, state => state.isShown);
  const playsByItself = useStore(storyPlayer.store, state => state.playsByItself);
  const shown = story?.steps[step];
  if (story === null || shown === undefined) return null;
  return (
    <section className="story-bar" aria-label="story" data-step={step + 1}>
      <StoryLine text={<StoryText step={shown} isShown={isShown} />} step={step} steps={story.steps.length} />
      <div className="story-keys">
        <button
          type="button"
          className="by-itself"
          aria-pressed={playsByItself}
          onClick={() => toggleByItself(storyPlayer)}
          title={
            playsByItself
              ? 'the story plays by itself; press here, or Space, to stop it'
              : 'play the story by itself: each step plays, stays long enough to be read, and the next one begins'
          }
        >
          <Icon name={playsByItself ? 'pause' : 'play'} /> By itself
        </button>
        <button
          type="button"
          disabled={step === 0 && !isPlaying}
          onClick={() => storyPlayer.back()}
          title="go back to the start of a step that plays; press again to go to the previous step (Page Up)"
          aria-label="previous step"
        >
          <Icon name="previous" />
        </button>
        <button
          type="button"
          disabled={step === story.steps.length - 1 && !isPlaying}
          onClick={() => storyPlayer.next()}
          title="finish a step that plays; press again to go to the next step (Page Down)"
          aria-label="next step"
        >
          <Icon name="next" />
        </button>
        <button
          type="button"
          aria-pressed={isPanelOpen}
          onClick={() => storyPlayer.togglePanel()}
          title="write the story (E)"
        >
          Write
        </button>
        <button
          type="button"
          onClick={() => openSpeaker(session)}
          title="notes, the next step and the time, in a second window (W)"
        >
          Speaker
        </button>
        <button type="button" onClick={() => storyPlayer.end()} title="end the story (Esc)" aria-label="end story">
          <Icon name="close" />
        </button>
      </div>
    </section>
  );
}

/**
 * Lets the open story play by itself. If it already does, this gives control to the user. If no story is open, this
 * shows the list of stories.
 */
export function toggleByItself(storyPlayer: StoryPlayer): void {
  if (storyPlayer.takeOver()) return;
  if (storyPlayer.store.getState().story === null) storyPlayer.openMenu();
  else storyPlayer.playByItself();
}
