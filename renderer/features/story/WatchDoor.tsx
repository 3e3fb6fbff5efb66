import {useStateOf} from '../../session/context.tsx';
import type {DoorProps} from '../feature.ts';
import {FIRST_STORY} from './includedStories.ts';
import {STORY_PLAYER} from './sessionStoryPlayer.ts';

/** Begins the first story, from the start screen. */
export function WatchDoor({leave}: DoorProps) {
  const storyPlayer = useStateOf(STORY_PLAYER);
  const {story, about} = FIRST_STORY;
  return (
    <>
      <p>{about}</p>
      <p className="dim">
        ‘{story.title}’ is a story of {story.steps.length} steps. Page Down goes on.
      </p>
      <p className="door-buttons">
        <button
          type="button"
          className="primary"
          onClick={() => {
            leave();
            storyPlayer.open(story);
          }}
        >
          Watch it
        </button>
      </p>
    </>
  );
}
