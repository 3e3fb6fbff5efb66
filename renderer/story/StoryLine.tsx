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
      <p className="story-text">{text}</p>
      <p className="story-place">
        step {step + 1} of {steps}
      </p>
    </div>
  );
}
