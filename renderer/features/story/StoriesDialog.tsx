import {useState} from 'react';
import {useStore} from 'zustand';
import {useModal} from '../../kit/useModal.ts';
import {useSession, useSessionState, useStateOf} from '../../session/context.tsx';
import {MOST_DRAFTS} from './drafts.ts';
import {INCLUDED_STORIES} from './includedStories.ts';
import {STORY_PLAYER} from './sessionStoryPlayer.ts';
import {stepOnShow} from './stepOnShow.ts';

/** Lists the stories of the program and the stories that were written here, and can begin a new one. */
export function StoriesDialog() {
  const session = useSession();
  const storyPlayer = useStateOf(STORY_PLAYER);
  const close = () => session.display.closeDialog('stories');
  const isOpen = useSessionState(state => state.view.dialog === 'stories');
  const {drafts, unread, waiting} = useStore(storyPlayer.drafts.store);
  const dialog = useModal(isOpen);
  const [playsByItself, setPlaysByItself] = useState(false);
  return (
    <dialog ref={dialog} className="stories" onClose={close}>
      <h2>Stories</h2>
      <p>
        A story has steps. Page Down finishes a step that plays; pressed again, it plays the next step. Page Up goes
        back to the start of a step that plays; pressed again, it plays the previous step. Space pauses, and Esc ends
        the story.
      </p>
      <ul>
        {INCLUDED_STORIES.map(({story, about, seconds}) => (
          <li key={story.title}>
            <button type="button" className="story-title" onClick={() => storyPlayer.open(story, {playsByItself})}>
              {story.title}
            </button>
            <span>
              {about} {story.steps.length} steps, {durationText(seconds)}.
            </span>
          </li>
        ))}
      </ul>
      {drafts.length > 0 && <h3>Written here</h3>}
      {waiting !== null && (
        <p role="status">
          ‘{waiting.story.title}’ cannot be stored yet: no more than {MOST_DRAFTS} stories can be stored here. Throw one
          away, or save the new one to a file.
        </p>
      )}
      <ul>
        {drafts.map(({id, story}) => (
          <li key={id}>
            <button
              type="button"
              className="story-title"
              onClick={() => storyPlayer.open(story, {draft: id, playsByItself})}
            >
              {story.title}
            </button>
            <span>
              {story.steps.length === 1 ? '1 step' : `${story.steps.length} steps`}{' '}
              <button type="button" className="quiet" onClick={() => void storyPlayer.drafts.remove(id)}>
                Throw away
              </button>
            </span>
          </li>
        ))}
      </ul>
      {unread.length > 0 && <h3>Stored stories that cannot be read</h3>}
      <ul>
        {unread.map(({id, message}) => (
          <li key={id}>
            {message}{' '}
            <button type="button" className="quiet" onClick={() => void storyPlayer.drafts.remove(id)}>
              Throw away
            </button>
          </li>
        ))}
      </ul>
      <label className="by-itself-choice">
        <input type="checkbox" checked={playsByItself} onChange={({target}) => setPlaysByItself(target.checked)} /> the
        story plays by itself: each step plays, stays long enough to be read, and the next one begins
      </label>
      <p className="dialog-buttons">
        <button
          type="button"
          onClick={() => {
            if (session.refuseIfTraceFiles()) return;
            storyPlayer.begin({title: 'A new story', steps: [stepOnShow(session, null)]});
          }}
        >
          New story from the run on screen
        </button>
        <button
          type="button"
          onClick={() => {
            close();
            document.getElementById('open-file')?.click();
          }}
        >
          Open a file
        </button>
        <button type="button" onClick={close}>
          Close
        </button>
      </p>
    </dialog>
  );
}

/** A duration for people: `40 s`, `about 2 minutes`. */
export function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return `about ${Math.round(seconds / 60)} minutes`;
}
