import {useStateOf} from '../../session/context.tsx';
import type {Command, Feature} from '../feature.ts';
import {beginAudience, openSpeaker} from './audience.ts';
import {INCLUDED_STORIES} from './includedStories.ts';
import {readKeptStory, storeStoryForReload} from './keptStory.ts';
import {StoriesDialog} from './StoriesDialog.tsx';
import {StoryBar, toggleByItself} from './StoryBar.tsx';
import {StoryPanel} from './StoryPanel.tsx';
import {resumeStory, STORY_PLAYER} from './sessionStoryPlayer.ts';
import {WatchDoor} from './WatchDoor.tsx';

/** Shows runs step by step as stories, and edits such stories. */
export const story: Feature = {
  name: 'story',
  state: STORY_PLAYER,
  help:
    'A story can play by itself (‘By itself’ beside its text, or in the list of stories): each step plays, stays ' +
    'long enough to be read, and the next one begins. Space, Page Down or Page Up gives you control. Escape ends the ' +
    'story. ' +
    'The speaker view (W) is a second window for the person who presents. It shows the notes of a story, this step ' +
    'and the next, and the time that is left. The keys that play the run or change the timeline work in both windows.',
  toolbar: [{group: 'tools', Entry: StoriesButton}],
  keys: [
    {
      key: 's',
      group: 'present',
      text: 'stories',
      isForWatching: true,
      act: session => session.stateOf(STORY_PLAYER).openMenu(),
    },
    {
      key: 'w',
      group: 'present',
      text: 'speaker view: notes, the next step and the time, in a second window',
      isForWatching: true,
      act: openSpeaker,
    },
    {key: 'e', group: 'present', text: 'write the story', act: session => session.stateOf(STORY_PLAYER).togglePanel()},
  ],
  commands: session => [
    {
      id: 'story by itself',
      group: 'command',
      title: 'Let the story play by itself, or stop that',
      words: 'automatically autoplay',
      act: () => toggleByItself(session.stateOf(STORY_PLAYER)),
    },
    ...INCLUDED_STORIES.map(
      ({story: each, about}): Command => ({
        id: `story ${each.title}`,
        group: 'story',
        title: `Story: ${each.title}`,
        words: about,
        act: () => session.stateOf(STORY_PLAYER).open(each),
      }),
    ),
  ],
  door: {place: 'watch', title: 'Watch it', View: WatchDoor},
  dialogs: [{name: 'stories', region: 'the stories', View: StoriesDialog}],
  bar: {region: 'the story', View: StoryBars},
  turn: (session, step) => {
    const storyPlayer = session.stateOf(STORY_PLAYER);
    return step > 0 ? storyPlayer.next() : storyPlayer.back();
  },
  playOrPause: session => session.stateOf(STORY_PLAYER).takeOver(),
  escape: session => session.stateOf(STORY_PLAYER).end(),
  restore: (session, storage) => {
    const kept = readKeptStory(storage);
    const storyPlayer = session.stateOf(STORY_PLAYER);
    beginAudience(session);
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
