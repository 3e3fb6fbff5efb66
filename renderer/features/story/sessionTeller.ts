import {readJson} from '../../../app/base/json.ts';
import type {OpenedDocument} from '../../../app/host/contract.ts';
import {readBytes} from '../../../app/run/scenario/readScenario.ts';
import {isStoryDocument, parseStory, type ReadStory} from '../../../app/telling/story/story.ts';
import type {FeatureState} from '../../session/extension.ts';
import {otherServers} from '../../session/liveServers.ts';
import type {Session} from '../../session/session.ts';
import {type ResumedStory, StoryTeller} from './storyTeller.ts';

/** Shows stories in the window of a session. */
export const TELLER: FeatureState<StoryTeller> = {create: tellerOf};

function tellerOf(session: Session): StoryTeller {
  const {host, player, screen, display, highlights, notices, store} = session;
  const teller = new StoryTeller(host, {
    player,
    openStep: ({name, scenario, fromNs, view: {zoom, ...others}, isUpToT, onShown}) => {
      const view = {...others, ...display.borrow(isUpToT)};
      screen.open({name, scenario, tNs: fromNs, zoom, isResumed: true, view, onShown});
    },
    endSteps: () => display.giveBack(),
    openMenu: () => display.openDialog('stories'),
    closeMenu: () => display.closeDialog('stories'),
    chooseLoss: loss => highlights.chooseLoss(loss),
    tell: (title, problems, action) => notices.tell(title, problems, action),
  });
  teller.store.subscribe(({story, highlighted}, before) => {
    if (story !== before.story) store.setState({told: story});
    if (highlighted !== before.highlighted) highlights.highlight(highlighted);
  });
  session.extend({
    started: async () => {
      await teller.drafts.read().catch(() => undefined);
      tellUnread(session, teller);
    },
    read: opened => {
      const read = readOpenedStory(opened);
      if (read === null) return null;
      if (!read.ok) return {ok: false, kind: 'a story', problems: read.problems};
      const servers = read.story.steps.flatMap(({scenario}) => otherServers(scenario));
      return {ok: true, servers, open: () => teller.open(read.story)};
    },
    prepared: teller.prepared,
    reloads: () => teller.forgetRuns(),
    opened: run => teller.resumeRun(run),
  });
  return teller;
}

/** Continues the story that was open when the window's page was reloaded, with the stage settings of its step. */
export function resumeStory(session: Session, kept: ResumedStory): void {
  const {screen, display, store} = session;
  const step = kept.story?.steps[kept.step];
  if (step !== undefined) display.set(display.borrow(step.view.reveal));
  session.stateOf(TELLER).resume(kept, screen.opening === null ? store.getState().run : null);
}

/** Says which drafts cannot be read, unless another notice is on screen. */
function tellUnread({store, notices}: Session, {drafts}: StoryTeller): void {
  const {unread} = drafts.store.getState();
  if (unread.length === 0 || store.getState().notice !== null) return;
  const stories = unread.length === 1 ? '1 story' : `${unread.length} stories`;
  notices.tell(`${stories} written here cannot be read; they stay stored`, unread);
}

/** Reads a document as a story. Returns null if the document is not in the story format. */
function readOpenedStory(opened: OpenedDocument | Uint8Array): ReadStory | null {
  if ('problem' in opened && opened.problem !== undefined) return null;
  const read = 'text' in opened ? readJson(opened.text) : readBytes(opened);
  return read.ok && isStoryDocument(read.value) ? parseStory(read.value) : null;
}
