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

test.each([
  ['cut off', '{'],
  ['one object', '{"id": "a"}'],
  ['deep', `[${'['.repeat(200)}`],
])('a file that is no list of stories is kept: %s', async (_, text) => {
  const {drafts, kept} = keeping();
  drafts.read(text);
  expect(drafts.store.getState()).toMatchObject({drafts: [], unread: [{value: text}]});
  drafts.keep('c', storyOf(WHOLE));
  await expect.poll(kept).toMatchObject([{id: 'c'}, text]);
});

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

test('that they are not kept is told once, and again after they were', async () => {
  let refusal: Error | null = new Error('the disk is full');
  let asked = 0;
  const keepStories = async () => {
    asked += 1;
    if (refusal !== null) throw refusal;
  };
  const told: string[] = [];
  const drafts = new Drafts({keepStories} satisfies Partial<Host> as Partial<Host> as Host, title =>
    told.push(title),
  );
  const write = async () => {
    const before = asked;
    drafts.keep('c', storyOf(WHOLE));
    await expect.poll(() => asked).toBe(before + 1);
    await new Promise(resolve => setTimeout(resolve));
  };
  const once = 'What you write is not kept, save the story to a file: the disk is full';
  await write();
  await write();
  expect(told).toEqual([once]);
  refusal = null;
  await write();
  refusal = new Error('the disk is full');
  await write();
  expect(told).toEqual([once, once]);
});

/** Drafts, and what their host was given to keep last. */
function keeping() {
  let kept = '[]';
  const host: Partial<Host> = {
    keepStories: async text => {
      kept = text;
    },
  };
  return {drafts: new Drafts(host as Host, () => undefined), kept: () => JSON.parse(kept) as unknown};
}

function storyOf(document: unknown): Story {
  const parsed = parseStory(document);
  if (!parsed.ok) throw new Error(parsed.problems[0].message);
  return parsed.story;
}
