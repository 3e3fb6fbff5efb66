import type {KeyboardEvent} from 'react';
import {STORY_LIMITS, type Story} from '../../../app/telling/story/story.ts';
import {changedStep, movedStep, titledStory, withoutStep, withStep} from '../../../app/telling/story/storyEdits.ts';
import {useSession, useSessionState} from '../../session/context.ts';
import {saveStory} from '../../session/files.ts';
import {useTeller} from './hooks.ts';
import {StepFields} from './StepFields.tsx';
import {stepOnShow} from './stepOnShow.ts';

/** The steps of the story that is open, to be written. */
export function StoryPanel() {
  const isOpen = useTeller(state => state.isPanelOpen);
  const story = useTeller(state => state.story);
  return isOpen && story !== null ? <OpenPanel story={story} /> : null;
}

function OpenPanel({story}: {readonly story: Story}) {
  const session = useSession();
  const {story: teller} = session;
  const version = useSessionState(state => state.version);
  const step = useTeller(state => state.step);
  const canUndo = useTeller(state => state.past.length > 0);
  const canRedo = useTeller(state => state.future.length > 0);
  const press = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return;
    // here it is the story's, not the scenario's
    event.preventDefault();
    event.stopPropagation();
    if (event.shiftKey) teller.redo();
    else teller.undo();
  };
  const add = () => {
    if (session.tellsOfFiles()) return;
    const added = withStep(story, step, stepOnShow(session, story.steps[step] ?? null));
    teller.write(added, {step: step + 1});
  };
  return (
    <aside className="story-panel" aria-label="write the story" onKeyDown={press}>
      <p className="story-tools">
        <button type="button" disabled={!canUndo} onClick={() => teller.undo()} title="undo, in this panel (Ctrl Z)">
          ↶
        </button>
        <button
          type="button"
          disabled={!canRedo}
          onClick={() => teller.redo()}
          title="redo, in this panel (Ctrl Shift Z)"
        >
          ↷
        </button>
        <button type="button" onClick={() => saveStory(story, version)} title="save the story to a file">
          Save story
        </button>
        <button type="button" onClick={() => teller.togglePanel()} title="close this panel (E)">
          Close
        </button>
      </p>
      <input
        type="text"
        className="story-name"
        aria-label="title of the story"
        maxLength={STORY_LIMITS.titleCharacters}
        value={story.title}
        onChange={({target}) => teller.write(titledStory(story, target.value), {writing: 'title'})}
      />
      <ol>
        {story.steps.map((each, k) => (
          <StepFields
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place
            key={k}
            step={each}
            before={story.steps[k - 1] ?? null}
            isShown={k === step}
            isOnly={story.steps.length === 1}
            onShow={() => teller.go(k)}
            onChange={(part, field) =>
              teller.write(changedStep(story, k, part), {writing: field === '' ? '' : `${k} ${field}`})
            }
            onMove={by => teller.write(movedStep(story, k, k + by))}
            onRemove={() => teller.write(withoutStep(story, k))}
            onTakeOver={() => {
              if (session.tellsOfFiles()) return;
              const {text, ...shown} = stepOnShow(session, story.steps[k - 1] ?? null);
              teller.write(changedStep(story, k, {...shown, text: each.text || text}), {step: k});
            }}
          />
        ))}
      </ol>
      <button type="button" onClick={add} disabled={story.steps.length >= STORY_LIMITS.steps}>
        Add what is on show as a step
      </button>
    </aside>
  );
}
