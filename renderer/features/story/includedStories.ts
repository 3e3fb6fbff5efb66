import {parseStory, STORY_NAMES, STORY_SECONDS, type Story, type StoryName} from '../../../app/telling/story/story.ts';
import howManyStreams from '../../../fixtures/stories/how-many-streams.story.json';
import oneLostPacket from '../../../fixtures/stories/one-lost-packet.story.json';
import progressiveOrBaseline from '../../../fixtures/stories/progressive-or-baseline.story.json';
import satellite from '../../../fixtures/stories/satellite.story.json';
import sixCongestionControls from '../../../fixtures/stories/six-congestion-controls.story.json';
import sixTransports from '../../../fixtures/stories/six-transports.story.json';
import threeVersionsOfHttp from '../../../fixtures/stories/three-versions-of-http.story.json';
import upload from '../../../fixtures/stories/upload.story.json';
import whatYourBrowserDoes from '../../../fixtures/stories/what-your-browser-does.story.json';

interface IncludedStory {
  readonly story: Story;
  /** The story's subject, in one line. */
  readonly about: string;
  /** How long the story takes if every step plays to its end, in seconds. */
  readonly seconds: number;
}

const DOCUMENTS: {readonly [N in StoryName]: {readonly document: unknown; readonly about: string}} = {
  'six-transports': {
    document: sixTransports,
    about: 'The packets after a lost one have arrived. Which pictures may use them?',
  },
  'one-lost-packet': {
    document: oneLostPacket,
    about: 'TCP delivers in order: what comes after a gap waits, whatever it belongs to.',
  },
  'three-versions-of-http': {
    document: threeVersionsOfHttp,
    about: 'Connections, streams, round trips: what each version won, and why HTTP/3 comes last on stacks of 2007.',
  },
  'how-many-streams': {
    document: howManyStreams,
    about: 'A stream for each picture, or fewer: what a loss delays, and which delays streams cannot prevent.',
  },
  'progressive-or-baseline': {
    document: progressiveOrBaseline,
    about: 'The same pictures in two encodings: what the first bytes of each are worth.',
  },
  satellite: {
    document: satellite,
    about: 'Round trips of a second: what the handshake costs, and what loss does then.',
  },
  'what-your-browser-does': {
    document: whatYourBrowserDoes,
    about:
      'Chromium beside a browser that asks for everything at once: what Chromium loads first, and what it leaves out.',
  },
  'six-congestion-controls': {
    document: sixCongestionControls,
    about: 'Reno, CUBIC and BBR under HTTP/2 and HTTP/3: what decides on a lossy link, the streams or the control?',
  },
  upload: {
    document: upload,
    about: 'A full modem, and what its queue should do: bufferbloat with and without CoDel.',
  },
};

/** The stories of the program, in the order of the dialog. */
export const INCLUDED_STORIES: readonly IncludedStory[] = STORY_NAMES.map(name => {
  const {document, about} = DOCUMENTS[name];
  const parsed = parseStory(document);
  if (!parsed.ok) throw new Error(`${name}: ${parsed.problems[0].message}`);
  return {story: parsed.story, about, seconds: STORY_SECONDS[name]};
});

/** The story that the start screen offers. */
export const FIRST_STORY = storyNamed('six-transports');

function storyNamed(name: StoryName): IncludedStory {
  const found = INCLUDED_STORIES[STORY_NAMES.indexOf(name)];
  if (found === undefined) throw new RangeError(`no story is called ${name}`);
  return found;
}
