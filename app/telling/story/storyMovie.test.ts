import {expect, test} from 'vitest';
import {DEFAULT_MOVIE} from '../movie/options.ts';
import {parseStory, type Story} from './story.ts';
import {storyMovie} from './storyMovie.ts';

function storyOf(...steps: readonly object[]): Story {
  const parsed = parseStory({story: 1, title: 'x', steps});
  if (!parsed.ok) throw new Error(parsed.problems[0].message);
  return parsed.story;
}

const RUN = {endNs: 10e9, urls: ['/', '/lake.jpg'], losses: [0, 2]};

test('the timeline view of each scene is that of its step, and not that of the movie', () => {
  const story = storyOf({scenario: 'n07-movie', view: {axis: 'visual'}}, {view: {timeline: 'packets', reveal: false}});
  const look = {...DEFAULT_MOVIE.look, axis: 'scans' as const, theme: 'dark' as const};
  const planned = storyMovie(story, {...DEFAULT_MOVIE, look}, [RUN, RUN]);
  if (!planned.ok) throw new Error(planned.problem.message);
  expect(planned.movie.scenes.map(({movie}) => movie.look)).toEqual([
    {...look, timeline: 'percent', axis: 'visual', reveal: true},
    {...look, timeline: 'packets', axis: 'bytes', reveal: false},
  ]);
});

test('each scene explains the loss that its step highlights', () => {
  const story = storyOf({scenario: 'n07-movie', highlight: {loss: {pane: 2, number: 2}}}, {});
  const look = {...DEFAULT_MOVIE.look, loss: {pane: 0, number: 1}};
  const planned = storyMovie(story, {...DEFAULT_MOVIE, look}, [RUN, RUN]);
  if (!planned.ok) throw new Error(planned.problem.message);
  expect(planned.movie.scenes.map(({movie}) => movie.look.loss)).toEqual([{pane: 1, number: 2}, null]);
});

test('a movie shows the numbers of the text as they are in the scenario of the step', () => {
  const story = storyOf({scenario: 'n07-movie', text: 'After {rtt}.'}, {set: {'path.rttMs': 20}, text: 'After {rtt}.'});
  const planned = storyMovie(story, DEFAULT_MOVIE, [RUN, RUN]);
  if (!planned.ok) throw new Error(planned.problem.message);
  expect(planned.movie.scenes.map(({storyStep}) => storyStep?.text)).toEqual(['After 1080 ms.', 'After 20 ms.']);
});

test('the answer names the step that cannot be shown with its run', () => {
  const story = storyOf({scenario: 'n07-movie'}, {highlight: {loss: {pane: 2, number: 3}}});
  expect(storyMovie(story, DEFAULT_MOVIE, [RUN, RUN])).toMatchObject({
    ok: false,
    step: 1,
    problem: {path: 'steps[1].highlight.loss.number', value: 3},
  });
});
