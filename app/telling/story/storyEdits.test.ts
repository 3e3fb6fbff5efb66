import fc from 'fast-check';
import {expect, test} from 'vitest';
import {parseStory, type Story} from './story.ts';
import {storyDocument} from './storyDocument.ts';
import {changedStep, titledStory} from './storyEdits.ts';

test('any typed title, text and notes give a story that can be read again', () => {
  const typed = fc.string({
    unit: fc.constantFrom('a', 'ü', ' ', '\n', '\t', '\0', '\u200e', '\u2028', '\ud83d'),
  });
  fc.assert(
    fc.property(typed, typed, typed, (title, text, notes) => {
      const written = changedStep(titledStory(STORY, title), 0, {text, notes});
      expect(parseStory(storyDocument(written))).toEqual({ok: true, story: written});
    }),
  );
});

test('visible characters of a typed text are kept, in one line', () => {
  expect(changedStep(STORY, 0, {text: 'a \u200e“ü”\n\u{1f44d}'}).steps[0]?.text).toBe('a “ü” \u{1f44d}');
  expect(titledStory(STORY, ' A\u202electure').title).toBe(' Alecture');
  expect(titledStory(STORY, '\u200e ').title).toBe('x');
});

const STORY = storyOf({story: 1, title: 'x', steps: [{scenario: {}}]});

function storyOf(document: unknown): Story {
  const parsed = parseStory(document);
  if (!parsed.ok) throw new Error(parsed.problems[0].message);
  return parsed.story;
}
