import {useStore} from 'zustand';
import {StoryLine} from '../../movie/StoryLine.tsx';
import {useStateOf} from '../../session/context.tsx';
import {TELLER} from './sessionTeller.ts';
import './story.css';

/** The text of the current step above the run, and buttons for users who have no page turner. */
export function StoryBar() {
  const teller = useStateOf(TELLER);
  const story = useStore(teller.store, state => state.story);
  const step = useStore(teller.store, state => state.step);
  const isPanelOpen = useStore(teller.store, state => state.isPanelOpen);
  const text = story?.steps[step]?.text;
  if (story === null || text === undefined) return null;
  return (
    <section className="story-bar" aria-label="story" data-step={step + 1}>
      <StoryLine text={text} step={step} steps={story.steps.length} />
      <div className="story-keys">
        <button
          type="button"
          disabled={step === 0}
          onClick={() => teller.back()}
          title="go to the previous step (Page Up)"
          aria-label="previous step"
        >
          ◂
        </button>
        <button
          type="button"
          disabled={step === story.steps.length - 1}
          onClick={() => teller.next()}
          title="go to the next step (Page Down)"
          aria-label="next step"
        >
          ▸
        </button>
        <button
          type="button"
          aria-pressed={isPanelOpen}
          onClick={() => teller.togglePanel()}
          title="write the story (E)"
        >
          Write
        </button>
        <button type="button" onClick={() => teller.end()} title="end the story (Esc)" aria-label="end story">
          ✕
        </button>
      </div>
    </section>
  );
}
