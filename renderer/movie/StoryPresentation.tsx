import {useMemo} from 'react';
import type {StoryStep} from '../../app/telling/movie/movieStage.ts';
import {Presentation, type PresentationProps} from './Presentation.tsx';
import {StoryLine} from './StoryLine.tsx';

interface StoryPresentationProps extends Omit<PresentationProps, 'pointed'> {
  readonly storyStep: StoryStep;
}

/**
 * Shows a step of a story as in a movie: the step's text above the run, and two cards. The card before the first step
 * has the story's title. The card after the last step has the title, the step's text, and a command that records a
 * story.
 */
export function StoryPresentation({storyStep, ...shown}: StoryPresentationProps) {
  const {layout, zoomNs, objects} = storyStep;
  const pointed = useMemo(() => ({layout, zoom: zoomNs, hovered: new Set(objects)}), [layout, zoomNs, objects]);
  return (
    <>
      <div className="told">
        <StoryLine {...storyStep} />
        <Presentation {...shown} pointed={pointed} />
      </div>
      <section className="card card-title">
        <p className="card-brand">Interleave</p>
        <h1>{storyStep.title}</h1>
      </section>
      <section className="card card-results told-end">
        <h1>{storyStep.title}</h1>
        <p>{storyStep.text}</p>
        <code>npx interleave record --story FILE --out demo.mp4</code>
      </section>
    </>
  );
}
