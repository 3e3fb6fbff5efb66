import './storyPresentation.css';

interface StoryLineProps {
  readonly text: string;
  /** The number of the step, from 0. */
  readonly step: number;
  readonly steps: number;
}

/** The text of a story's step, and the number of the step. */
export function StoryLine({text, step, steps}: StoryLineProps) {
  return (
    <div className="story-line">
      <p className="story-text">{together(text)}</p>
      <p className="story-place">
        step {step + 1} of {steps}
      </p>
    </div>
  );
}

/** Keeps a number on one line with the word after it, such as its unit. */
function together(text: string): string {
  return text.replaceAll(/(\d) /g, '$1\u00a0');
}
