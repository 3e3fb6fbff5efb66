import {expect, test} from 'vitest';
import type {Json} from '../../../app/base/json.ts';
import type {Host, KeptDraft} from '../../../app/host/contract.ts';
import {parseStory, type Story} from '../../../app/telling/story/story.ts';
import {Drafts, type DraftsWindow} from './drafts.ts';

const WHOLE = {story: 1, title: 'Whole', steps: [{scenario: 'n07-movie', to: 1, text: 'a'}]};

test('unreadable drafts are listed with their names, and stay until the user throws them away', async () => {
  const host = new FakeHost();
  host.put('a', WHOLE);
  host.put('b', {...WHOLE, title: 'Ha\u202elf', steps: []});
  host.put('c', 7);
  host.put('d', null, 'it is cut off');
  const {drafts} = await windowOn(host);
  const {unread} = drafts.store.getState();
  expect(unread.map(({message}) => message)).toEqual([
    'a story: it is cut off',
    'a story: the document is 7: must be an object (a story)',
    'Ha\\u{202e}lf: title is "Ha\\u{202e}lf": must be one line of text, 1 to 100 characters',
  ]);
  drafts.keep('new', story('New'));
  await settle();
  expect(host.titles()).toEqual(['New', undefined, undefined, 'Ha\u202elf', 'Whole']);
  for (const {id} of unread.slice(1)) await drafts.remove(id);
  await drafts.remove('a');
  expect(host.titles()).toEqual(['New', undefined]);
  expect(drafts.store.getState().unread).toHaveLength(1);
});

test('changes are stored with one call at a time, the newest state last', async () => {
  const host = new FakeHost();
  const {drafts} = await windowOn(host);
  for (const title of ['T', 'Ti', 'Tit', 'Titl', 'Title']) drafts.keep('a', story(title));
  expect(host.underWay).toBe(1);
  await settle();
  expect(host.titles()).toEqual(['Title']);
  expect(host.asked).toEqual(['keep a 0', 'keep a 1']);
  // the revision to remove is the one that this window has written
  await drafts.remove('a');
  expect([host.titles(), host.asked.at(-1)]).toEqual([[], 'remove a 2']);
});

test('a draft that is being stored keeps its changes in the list, and can still be thrown away', async () => {
  const host = new FakeHost();
  host.put('a', WHOLE);
  const {drafts, messages} = await windowOn(host);
  drafts.take('a');
  drafts.keep('a', story('New'));
  await drafts.read();
  expect(drafts.store.getState().drafts.map(({story}) => story.title)).toEqual(['New']);
  await settle();
  drafts.keep('a', story('Newer'));
  await drafts.remove('a');
  await settle();
  expect([host.titles(), messages]).toEqual([[], []]);
});

test('a failure to store drafts is reported once, and again only after a success', async () => {
  const host = new FakeHost();
  const {drafts, messages} = await windowOn(host);
  const write = async () => {
    drafts.keep('c', story(`${host.asked.length}`));
    await settle();
  };
  host.refusal = new Error('the disk is full');
  const once = 'Your changes cannot be stored; save the story to a file: the disk is full';
  await write();
  await write();
  expect(messages).toEqual([once]);
  host.refusal = null;
  await write();
  host.refusal = new Error('the disk is full');
  await write();
  expect(messages).toEqual([once, once]);
});

test('a draft that could not be stored stays in the list, and is stored with the next change of any draft', async () => {
  const host = new FakeHost();
  host.put('a', WHOLE);
  const {drafts} = await windowOn(host);
  drafts.take('a');
  host.refusal = new Error('the disk is full');
  drafts.keep('a', story('Changed'));
  drafts.keep('new', story('New'));
  await settle();
  await drafts.read();
  const titles = () => drafts.store.getState().drafts.map(each => each.story.title);
  expect(titles()).toEqual(['New', 'Changed']);
  host.refusal = null;
  drafts.keep('third', story('Third'));
  await settle();
  expect(host.titles()).toHaveLength(3);
  expect(new Set(host.titles())).toEqual(new Set(['Third', 'New', 'Changed']));
  // a draft that could not be stored can be thrown away
  host.refusal = new Error('the disk is full');
  drafts.keep('fourth', story('Fourth'));
  await settle();
  host.refusal = null;
  await drafts.remove('fourth');
  expect(titles()).not.toContain('Fourth');
});

test('if two windows change a story, the second one is told and continues with a separate story', async () => {
  const host = new FakeHost();
  host.put('a', WHOLE);
  const [one, two] = [await windowOn(host), await windowOn(host)];
  for (const {drafts} of [one, two]) drafts.take('a');
  one.drafts.keep('a', story('One'));
  await settle();
  // reading a newer list does not update the story that is open
  await two.drafts.read();
  two.drafts.keep('a', story('Two'));
  await settle();
  expect(host.titles()).toEqual(['Two', 'One']);
  expect(one.messages).toEqual([]);
  expect(two.messages).toEqual(['‘Two’ was changed in another window, too: your version is now a separate story']);
  const [[from, to] = []] = two.renamed;
  expect(from).toBe('a');
  expect(two.drafts.store.getState().drafts.map(({id, story}) => [id, story.title])).toEqual([
    [to, 'Two'],
    ['a', 'One'],
  ]);
  // both windows continue
  one.drafts.keep('a', story('One, on'));
  two.drafts.keep(to ?? '', story('Two, on'));
  await settle();
  expect([host.titles().sort(), one.messages, two.messages.length]).toEqual([['One, on', 'Two, on'], [], 1]);
});

test('a window does not throw away changes of another window that it has not seen', async () => {
  const host = new FakeHost();
  host.put('a', WHOLE);
  const [one, two] = [await windowOn(host), await windowOn(host)];
  one.drafts.take('a');
  one.drafts.keep('a', story('One'));
  await settle();
  await two.drafts.remove('a');
  expect([host.titles(), two.messages]).toEqual([
    ['One'],
    ['The story was not thrown away, because another window has changed it'],
  ]);
  // after the failed attempt, the window knows the change
  await two.drafts.remove('a');
  expect(host.titles()).toEqual([]);
});

test('beyond the limit a new story is reported, and no story is thrown away without consent', async () => {
  const host = new FakeHost();
  for (let i = 0; i < 20; i++) host.put(`${i}`, {...WHOLE, title: `Story ${i}`});
  const {drafts, messages, actions} = await windowOn(host);
  drafts.keep('new', story('New'));
  drafts.keep('new', story('New, on'));
  await settle();
  expect(host.titles()).toHaveLength(20);
  expect(host.titles()).toContain('Story 0');
  expect(drafts.store.getState().waiting?.story.title).toBe('New, on');
  expect(messages).toEqual(['‘New’ is not stored: no more than 20 stories can be stored here']);
  expect(actions.map(action => action?.label)).toEqual(['Throw away the oldest, ‘Story 0’, and store the new one']);
  // stories that are stored already continue to be stored
  drafts.take('3');
  drafts.keep('3', story('Story 3, on'));
  await settle();
  expect(host.titles()).toContain('Story 3, on');
  actions[0]?.act();
  await settle();
  expect(host.titles()).toHaveLength(20);
  expect(host.titles()).not.toContain('Story 0');
  expect(host.titles()[0]).toBe('New, on');
  expect(drafts.store.getState().waiting).toBe(null);
});

test('a waiting story is stored when any other story is thrown away', async () => {
  const host = new FakeHost();
  for (let i = 0; i < 20; i++) host.put(`${i}`, {...WHOLE, title: `Story ${i}`});
  const {drafts} = await windowOn(host);
  drafts.keep('new', story('New'));
  await drafts.remove('7');
  await settle();
  expect(host.titles()).toContain('New');
  expect(host.titles()).toContain('Story 0');
});

test('unreadable drafts count towards the limit', async () => {
  const host = new FakeHost();
  for (let i = 0; i < 20; i++) host.put(`${i}`, 7);
  const {drafts, actions} = await windowOn(host);
  drafts.keep('new', story('New'));
  await settle();
  expect([host.titles().length, actions]).toEqual([20, [undefined]]);
});

test.each<[string, (host: FakeHost) => void, readonly (string | undefined)[]]>([
  ['had not reached the host', () => undefined, ['Last']],
  ['was the page’s first', host => host.begin('a', WHOLE), ['Last']],
  [
    'had reached the host without its last letters',
    host => host.put('a', {...WHOLE, title: 'Las'}, undefined, 'before'),
    ['Last'],
  ],
  ['had reached the host', host => host.put('a', {...WHOLE, title: 'Last'}, undefined, 'before'), ['Last']],
  ['was followed by a change of another window', host => host.put('a', {...WHOLE, title: 'Other'}), ['Other']],
  ['was followed by a removal in another window', host => host.drafts.clear(), ['Last']],
])(
  'the last change before F5, which %s, is stored unless another window has continued the story',
  async (_, then, titles) => {
    const host = new FakeHost();
    host.put('a', WHOLE, undefined, 'before');
    then(host);
    const {drafts, messages} = await windowOn(host);
    drafts.resume('a', story('Last'), {revision: 1, writer: 'before'});
    await settle();
    expect([host.titles(), messages]).toEqual([titles, []]);
    // later changes never replace those of another window
    drafts.keep('a', story('Last, on'));
    await settle();
    expect(host.titles()).toEqual(titles[0] === 'Other' ? ['Last, on', 'Other'] : ['Last, on']);
  },
);

/** Stores drafts in memory, with revisions like those of the real host. */
class FakeHost {
  readonly drafts = new Map<string, KeptDraft>();
  readonly asked: string[] = [];
  refusal: Error | null = null;
  underWay = 0;

  /** Stores a draft as another window would. */
  put(id: string, story: Json, problem?: string, writer = 'somebody'): void {
    const revision = (this.drafts.get(id)?.revision ?? 0) + 1;
    this.#set({id, revision, writer, story, ...(problem !== undefined && {problem})});
  }

  /** Stores a draft as another window did before this page was opened. */
  begin(id: string, story: Json): void {
    this.#set({id, revision: 1, writer: 'somebody', story});
  }

  titles(): (string | undefined)[] {
    return [...this.drafts.values()].map(({story}) => (story as {title?: string} | null)?.title);
  }

  get host(): Host {
    const host: Partial<Host> = {
      keptDrafts: async () => [...this.drafts.values()],
      keepDraft: async (id, base, writer, story) => {
        this.asked.push(`keep ${id} ${base}`);
        this.underWay += 1;
        await new Promise(resolve => setTimeout(resolve));
        this.underWay -= 1;
        if (this.refusal !== null) throw this.refusal;
        if ((this.drafts.get(id)?.revision ?? 0) !== base) return {ok: false, isStale: true};
        this.#set({id, revision: base + 1, writer, story});
        return {ok: true, revision: base + 1};
      },
      removeDraft: async (id, revision) => {
        this.asked.push(`remove ${id} ${revision}`);
        if (this.drafts.get(id)?.revision !== revision) return {ok: false, isStale: true};
        this.drafts.delete(id);
        return {ok: true, revision};
      },
    };
    return host as Host;
  }

  /** Stores a draft as the newest. */
  #set(draft: KeptDraft): void {
    const others = [...this.drafts.values()].filter(({id}) => id !== draft.id);
    this.drafts.clear();
    for (const each of [draft, ...others]) this.drafts.set(each.id, each);
  }
}

/** A window that has read the host's drafts. */
async function windowOn(fake: FakeHost) {
  const messages: string[] = [];
  const actions: Parameters<DraftsWindow['showMessage']>[1][] = [];
  const renamed: [string, string][] = [];
  const drafts = new Drafts(fake.host, {
    showMessage: (title, action) => {
      messages.push(title);
      actions.push(action);
    },
    rename: (from, to) => void renamed.push([from, to]),
  });
  await drafts.read();
  return {drafts, messages, actions, renamed};
}

/** Resolves when all calls are done. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise(resolve => setTimeout(resolve));
}

function story(title: string): Story {
  const parsed = parseStory({...WHOLE, title});
  if (!parsed.ok) throw new Error(parsed.problems[0].message);
  return parsed.story;
}
