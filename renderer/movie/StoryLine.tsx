import './told.css';

interface StoryLineProps {
  readonly text: string;
  /** From 0. */
  readonly step: number;
  readonly steps: number;
}

/** What a step says, for the last row, and how far the story is. */
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

/** A number stays with its unit. */
function together(text: string): string {
  return text.replaceAll(/(\d) /g, '$1\u00a0');
}
