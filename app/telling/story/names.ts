/** The stories that come with the program, in the order in which they are offered: `fixtures/stories/`. */
export const STORY_NAMES = ['one-lost-packet', 'how-many-streams', 'progressive-or-baseline', 'satellite'] as const;

export type StoryName = (typeof STORY_NAMES)[number];
