import {useStateOf} from '../../session/context.tsx';
import type {Feature} from '../feature.ts';
import {keepStoryOver, readKeptStory} from './keptStory.ts';
import {StoriesDialog} from './StoriesDialog.tsx';
import {StoryBar} from './StoryBar.tsx';
import {StoryPanel} from './StoryPanel.tsx';
import {resumeStory, TELLER} from './sessionTeller.ts';

/** Shows runs step by step as stories, and edits such stories. */
export const story: Feature = {
  name: 'story',
  state: TELLER,
  toolbar: [{group: 'tools', Entry: StoriesButton}],
  keys: [
    {
      key: 's',
      group: 'tell',
      text: 'stories',
      isForWatching: true,
      act: session => session.stateOf(TELLER).openMenu(),
    },
    {key: 'e', group: 'tell', text: 'write the story', act: session => session.stateOf(TELLER).togglePanel()},
  ],
  dialogs: [{name: 'stories', region: 'the stories', View: StoriesDialog}],
  bar: {region: 'the story', View: StoryBars},
  turn: (session, step) => {
    const teller = session.stateOf(TELLER);
    return step > 0 ? teller.next() : teller.back();
  },
  escape: session => session.stateOf(TELLER).end(),
  restore: (session, storage) => {
    const kept = readKeptStory(storage);
    const teller = session.stateOf(TELLER);
    return () => {
      // a story that was opened at the start is newer than the stored one
      if (kept !== null && teller.store.getState().story === null) resumeStory(session, kept);
      keepStoryOver(teller, storage);
    };
  },
};

function StoriesButton() {
  const teller = useStateOf(TELLER);
  return (
    <button type="button" onClick={() => teller.openMenu()} title="stories, which show runs step by step (S)">
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
