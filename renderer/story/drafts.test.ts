import {expect, test} from 'vitest';
import type {Host} from '../../app/ipc/contract.ts';
import {parseStory, type Story} from '../../app/story/story.ts';
import {Drafts} from './drafts.ts';

const WHOLE = {story: 1, title: 'Whole', steps: [{scenario: 'n07-movie', to: 1, text: 'a'}]};

test('what cannot be read is told with its name, and kept as it was', async () => {
  const half = {id: 'b', story: {...WHOLE, title: 'Ha\u202elf', steps: []}};
  const {drafts, kept} = keeping();
  drafts.read(JSON.stringify([{id: 'a', story: WHOLE}, half, 7]));
  const {unread} = drafts.store.getState();
  expect(unread.map(({message}) => message)).toEqual([
    'Ha\\u{202e}lf: title is "Ha\\u{202e}lf": must be one line of text, 1 to 100 characters',
    'a story: the document is 7: must be an object (a story)',
  ]);
  drafts.keep('c', storyOf(WHOLE));
  await expect.poll(kept).toMatchObject([{id: 'c'}, {id: 'a'}, half, 7]);
  for (const each of unread.slice(1)) drafts.removeUnread(each);
  drafts.remove('a');
  await expect.poll(kept).toMatchObject([{id: 'c'}, half]);
});

test.each(['{', '{"id": "a"}', `[${'['.repeat(200)}`])(
  'a file that is no list of stories is kept: %.9s',
  async text => {
    const {drafts, kept} = keeping();
    drafts.read(text);
    expect(drafts.store.getState()).toMatchObject({drafts: [], unread: [{value: text}]});
    drafts.keep('c', storyOf(WHOLE));
    await expect.poll(kept).toMatchObject([{id: 'c'}, text]);
  },
);

test('a story without a name among the others has one from then on', () => {
  const {drafts} = keeping();
  drafts.read(JSON.stringify([{story: WHOLE}]));
  expect(drafts.store.getState().drafts).toEqual([{id: expect.any(String), story: storyOf(WHOLE)}]);
});

test('without any there is none', () => {
  const {drafts} = keeping();
  drafts.read(null);
  expect(drafts.store.getState()).toEqual({drafts: [], unread: []});
});

/** Drafts, and what their host was given to keep last. */
function keeping() {
  let kept = '[]';
  const host: Partial<Host> = {
    keepStories: async text => {
      kept = text;
    },
  };
  return {drafts: new Drafts(host as Host), kept: () => JSON.parse(kept) as unknown};
}

function storyOf(document: unknown): Story {
  const parsed = parseStory(document);
  if (!parsed.ok) throw new Error(parsed.problems[0].message);
  return parsed.story;
}
