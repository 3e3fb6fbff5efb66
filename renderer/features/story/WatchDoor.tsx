import {useStateOf} from '../../session/context.tsx';
import type {DoorProps} from '../feature.ts';
import {FIRST_STORY} from './includedStories.ts';
import {durationText} from './StoriesDialog.tsx';
import {STORY_PLAYER} from './sessionStoryPlayer.ts';
import {WaitingFigure} from './WaitingFigure.tsx';

/** The part of the start screen that offers a story, {@link FIRST_STORY}. */
export function WatchDoor({leave}: DoorProps) {
  const storyPlayer = useStateOf(STORY_PLAYER);
  const {story, about, seconds} = FIRST_STORY;
  return (
    <>
      <p>{about}</p>
      <WaitingFigure />
      <p className="dim">
        ‘{story.title}’ plays by itself: {story.steps.length} steps, {durationText(seconds)}. Space stops it.
      </p>
      <p className="door-buttons">
        <button
          type="button"
          className="primary"
          onClick={() => {
            leave();
            storyPlayer.open(story, {playsByItself: true});
          }}
        >
          Watch it
        </button>
      </p>
    </>
  );
}
