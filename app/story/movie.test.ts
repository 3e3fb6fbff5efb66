import {expect, test} from 'vitest';
import {DEFAULT_MOVIE} from '../movie/options.ts';
import {storyMovie} from './movie.ts';
import {parseStory, type Story} from './story.ts';

function storyOf(...steps: readonly object[]): Story {
  const parsed = parseStory({story: 1, title: 'x', steps});
  if (!parsed.ok) throw new Error(parsed.problems[0].message);
  return parsed.story;
}

const RUN = {endNs: 10e9, urls: ['/', '/lake.jpg']};

test('each scene shows its timeline as its step has it, whatever the movie’s look', () => {
  const story = storyOf(
    {scenario: 'n07-movie', view: {axis: 'visual'}},
    {view: {timeline: 'packets', reveal: false}},
  );
  const look = {...DEFAULT_MOVIE.look, axis: 'scans' as const, theme: 'dark' as const};
  const planned = storyMovie(story, {...DEFAULT_MOVIE, look}, [RUN, RUN]);
  if (!planned.ok) throw new Error(planned.problem.message);
  expect(planned.movie.scenes.map(({movie}) => movie.look)).toEqual([
    {...look, timeline: 'percent', axis: 'visual', reveal: true},
    {...look, timeline: 'packets', axis: 'bytes', reveal: false},
  ]);
});
