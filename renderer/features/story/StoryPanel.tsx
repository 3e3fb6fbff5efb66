import type {KeyboardEvent} from 'react';
import {useStore} from 'zustand';
import {STORY_LIMITS, type Story} from '../../../app/telling/story/story.ts';
import {storyText} from '../../../app/telling/story/storyDocument.ts';
import {changedStep, movedStep, titledStory, withoutStep, withStep} from '../../../app/telling/story/storyEdits.ts';
import {plainText, textProblem} from '../../../app/telling/story/storyNumbers.ts';
import {Icon} from '../../kit/Icon.tsx';
import {saveBytes} from '../../kit/savedFile.ts';
import {useSession, useSessionState, useStateOf} from '../../session/context.tsx';
import {StepFields} from './StepFields.tsx';
import {STORY_PLAYER} from './sessionStoryPlayer.ts';
import {stepOnShow} from './stepOnShow.ts';

/** The panel in which the user edits the steps of the open story. */
export function StoryPanel() {
  const storyPlayer = useStateOf(STORY_PLAYER);
  const isOpen = useStore(storyPlayer.store, state => state.isPanelOpen);
  const story = useStore(storyPlayer.store, state => state.story);
  return isOpen && story !== null ? <OpenPanel story={story} /> : null;
}

function OpenPanel({story}: {readonly story: Story}) {
  const session = useSession();
  const storyPlayer = useStateOf(STORY_PLAYER);
  const version = useSessionState(state => state.version);
  const step = useStore(storyPlayer.store, state => state.step);
  const canUndo = useStore(storyPlayer.store, state => state.past.length > 0);
  const canRedo = useStore(storyPlayer.store, state => state.future.length > 0);
  const press = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return;
    // in this panel, undo changes the story and not the scenario
    event.preventDefault();
    event.stopPropagation();
    if (event.shiftKey) storyPlayer.redo();
    else storyPlayer.undo();
  };
  const add = () => {
    if (session.refuseIfTraceFiles()) return;
    const added = withStep(story, step, stepOnShow(session, story.steps[step] ?? null));
    storyPlayer.write(added, {step: step + 1});
  };
  return (
    <aside className="story-panel" aria-label="write the story" onKeyDown={press}>
      <p className="story-tools">
        <button
          type="button"
          disabled={!canUndo}
          onClick={() => storyPlayer.undo()}
          title="undo, in this panel (Ctrl Z)"
          aria-label="undo, in this panel"
        >
          <Icon name="undo" />
        </button>
        <button
          type="button"
          disabled={!canRedo}
          onClick={() => storyPlayer.redo()}
          title="redo, in this panel (Ctrl Shift Z)"
          aria-label="redo, in this panel"
        >
          <Icon name="redo" />
        </button>
        <button type="button" onClick={() => saveStory(story, version)} title="save the story to a file">
          Save story
        </button>
        <button type="button" onClick={() => storyPlayer.togglePanel()} title="close this panel (E)">
          Close
        </button>
      </p>
      <input
        type="text"
        className="story-name"
        aria-label="title of the story"
        maxLength={STORY_LIMITS.titleCharacters}
        value={story.title}
        onChange={({target}) => storyPlayer.write(titledStory(story, target.value), {writing: 'title'})}
      />
      <ol>
        {story.steps.map((each, k) => (
          <StepFields
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its position
            key={k}
            step={each}
            before={story.steps[k - 1] ?? null}
            isShown={k === step}
            isOnly={story.steps.length === 1}
            onShow={() => storyPlayer.go(k)}
            onChange={(part, field) =>
              storyPlayer.write(changedStep(story, k, part), {writing: field === '' ? '' : `${k} ${field}`})
            }
            onMove={by => storyPlayer.write(movedStep(story, k, k + by))}
            onRemove={() => storyPlayer.write(withoutStep(story, k))}
            onTakeOver={() => {
              if (session.refuseIfTraceFiles()) return;
              const {text: _text, notes: _notes, ...shown} = stepOnShow(session, story.steps[k - 1] ?? null);
              // the new run may lack a number that the text names
              const text = textProblem(each.text, shown.scenario) === null ? each.text : plainText(each);
              storyPlayer.write(changedStep(story, k, {...shown, text}), {step: k});
            }}
          />
        ))}
      </ol>
      <button type="button" onClick={add} disabled={story.steps.length >= STORY_LIMITS.steps}>
        Add the run on screen as a step
      </button>
    </aside>
  );
}

/** Saves a story as a file, which is named after the story's title. */
function saveStory(story: Story, version: string): void {
  const name = story.title.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-+|-+$/g, '');
  const bytes = new TextEncoder().encode(storyText(story, `interleave ${version}`));
  saveBytes(`${name.toLowerCase() || 'interleave'}.story.json`, bytes, 'application/json');
}
