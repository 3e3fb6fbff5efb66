import {expect, test} from 'vitest';
import {packedFragment} from '../../../app/run/scenario/link.ts';
import {STORY_NAMES} from '../../../app/telling/story/story.ts';
import {openedInAddress} from './openedInAddress.ts';

test('a fragment can contain a scenario or a story, compressed or as a name, besides other keys', () => {
  expect(openedInAddress('')).toBeNull();
  expect(openedInAddress('#play&settings')).toBeNull();
  expect(openedInAddress('#scenario=web-lte&play')).toEqual({name: 'web-lte', text: 'web-lte'});
  const text = {name: 'the link', text: '{"seed":3}'};
  expect(openedInAddress(`#play&${packedFragment('scenario', {seed: 3})}`)).toEqual(text);
  expect(openedInAddress(`#${packedFragment('story', {seed: 3})}`)).toEqual(text);
  for (const name of STORY_NAMES) {
    const opened = openedInAddress(`#story=${name}`);
    expect(opened).toEqual({name, text: expect.stringContaining('"steps"')});
  }
});

test('a damaged value or an unknown name is reported', () => {
  const problem = 'the link is incomplete or damaged; copy all of it';
  for (const fragment of ['#scenario=', '#scenario=web-lt', '#story=nothing', '#story=../satellite'])
    expect(openedInAddress(fragment)).toEqual({name: 'the link', text: '', problem});
});
