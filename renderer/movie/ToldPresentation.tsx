import {useMemo} from 'react';
import type {Telling} from '../../app/telling/movie/movieStage.ts';
import {Presentation, type PresentationProps} from './Presentation.tsx';
import {StoryLine} from './StoryLine.tsx';

interface ToldProps extends Omit<PresentationProps, 'pointed'> {
  readonly telling: Telling;
}

/** Shows a step of a story as in a movie: the step's text above the run, and the cards with the title and the end. */
export function ToldPresentation({telling, ...shown}: ToldProps) {
  const {layout, zoomNs, objects} = telling;
  const pointed = useMemo(() => ({layout, zoom: zoomNs, hovered: new Set(objects)}), [layout, zoomNs, objects]);
  return (
    <>
      <div className="told">
        <StoryLine {...telling} />
        <Presentation {...shown} pointed={pointed} />
      </div>
      <section className="card card-title">
        <p className="card-brand">Interleave</p>
        <h1>{telling.title}</h1>
      </section>
      <section className="card card-results told-end">
        <h1>{telling.title}</h1>
        <p>{telling.text}</p>
        <code>npx interleave record --story FILE --out demo.mp4</code>
      </section>
    </>
  );
}
