import type {ReactNode} from 'react';
import './storyPresentation.css';

interface StoryLineProps {
  /** The text, or elements that show it. */
  readonly text: ReactNode;
  /** The index of the step. */
  readonly step: number;
  readonly steps: number;
}

/** The text of a story's step, and its place in the story, such as `step 2 of 5`. */
export function StoryLine({text, step, steps}: StoryLineProps) {
  return (
    <div className="story-line">
      <p className="story-text">{typeof text === 'string' ? together(text) : text}</p>
      <p className="story-place">
        step {step + 1} of {steps}
      </p>
    </div>
  );
}

/** Keeps a number on one line with the word after it, such as its unit. */
export function together(text: string): string {
  return text.replaceAll(/(\d) /g, '$1\u00a0');
}
