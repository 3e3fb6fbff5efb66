import {useStateOf} from '../../session/context.tsx';
import type {Feature} from '../feature.ts';
import {readKeptStory, storeStoryForReload} from './keptStory.ts';
import {StoriesDialog} from './StoriesDialog.tsx';
import {StoryBar} from './StoryBar.tsx';
import {StoryPanel} from './StoryPanel.tsx';
import {resumeStory, STORY_PLAYER} from './sessionStoryPlayer.ts';

/** Shows runs step by step as stories, and edits such stories. */
export const story: Feature = {
  name: 'story',
  state: STORY_PLAYER,
  toolbar: [{group: 'tools', Entry: StoriesButton}],
  keys: [
    {
      key: 's',
      group: 'present',
      text: 'stories',
      isForWatching: true,
      act: session => session.stateOf(STORY_PLAYER).openMenu(),
    },
    {key: 'e', group: 'present', text: 'write the story', act: session => session.stateOf(STORY_PLAYER).togglePanel()},
  ],
  dialogs: [{name: 'stories', region: 'the stories', View: StoriesDialog}],
  bar: {region: 'the story', View: StoryBars},
  turn: (session, step) => {
    const storyPlayer = session.stateOf(STORY_PLAYER);
    return step > 0 ? storyPlayer.next() : storyPlayer.back();
  },
  escape: session => session.stateOf(STORY_PLAYER).end(),
  restore: (session, storage) => {
    const kept = readKeptStory(storage);
    const storyPlayer = session.stateOf(STORY_PLAYER);
    return () => {
      // a story that was opened at the start is newer than the stored one
      if (kept !== null && storyPlayer.store.getState().story === null) resumeStory(session, kept);
      storeStoryForReload(storyPlayer, storage);
    };
  },
};

function StoriesButton() {
  const storyPlayer = useStateOf(STORY_PLAYER);
  return (
    <button type="button" onClick={() => storyPlayer.openMenu()} title="stories, which show runs step by step (S)">
      Stories
    </button>
  );
}

function StoryBars() {
  return (
    <>
      <StoryBar />
      <StoryPanel />
    </>
  );
}
