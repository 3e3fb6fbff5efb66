import {readJson} from '../../../app/base/json.ts';
import type {OpenedDocument} from '../../../app/host/contract.ts';
import {readBytes} from '../../../app/run/scenario/readScenario.ts';
import {isStoryDocument, parseStory, type ReadStory} from '../../../app/telling/story/story.ts';
import {wantsCalm} from '../../kit/wantsCalm.ts';
import type {FeatureState} from '../../session/extension.ts';
import {otherServers} from '../../session/liveServers.ts';
import type {Session} from '../../session/session.ts';
import {type ResumedStory, StoryPlayer} from './storyPlayer.ts';

/** Shows stories in the window of a session. */
export const STORY_PLAYER: FeatureState<StoryPlayer> = {create: storyPlayerOf};

function storyPlayerOf(session: Session): StoryPlayer {
  const {host, player, screen, display, highlights, notices, store} = session;
  const storyPlayer = new StoryPlayer(host, {
    player,
    openStep: ({name, scenario, fromNs, view: {zoom, ...others}, stage, onShown}) => {
      const view = {...others, ...display.replaceForStep(stage)};
      screen.open({name, scenario, tNs: fromNs, zoom, isResumed: true, view, onShown});
    },
    endSteps: () => display.restoreUserSettings(),
    openMenu: () => display.openDialog('stories'),
    closeMenu: () => display.closeDialog('stories'),
    isCalm: wantsCalm,
    chooseLoss: loss => highlights.chooseLoss(loss),
    showMessage: (title, problems, action) => notices.showMessage(title, problems, action),
  });
  storyPlayer.store.subscribe(({story, highlighted}, before) => {
    if (story !== before.story) store.setState({story});
    if (highlighted !== before.highlighted) highlights.highlight(highlighted);
  });
  store.subscribe(({scenario, view}, before) => {
    const {story, step, isShown} = storyPlayer.store.getState();
    const isChanged = isShown && scenario !== before.scenario && scenario !== story?.steps[step]?.scenario;
    if (isChanged || (view.isBlank && !before.view.isBlank)) storyPlayer.takeOver();
  });
  session.extend({
    started: async () => {
      await storyPlayer.drafts.read().catch(() => undefined);
      showUnread(session, storyPlayer);
    },
    read: opened => {
      const read = readOpenedStory(opened);
      if (read === null) return null;
      if (!read.ok) return {ok: false, kind: 'a story', problems: read.problems};
      const servers = read.story.steps.flatMap(({scenario}) => otherServers(scenario));
      return {ok: true, servers, open: () => storyPlayer.open(read.story)};
    },
    prepared: storyPlayer.prepared,
    reloads: () => storyPlayer.forgetRuns(),
    opened: run => storyPlayer.resumeRun(run),
  });
  return storyPlayer;
}

/**
 * Continues the story that was open when the window's page was reloaded. The step on screen decides again whether the
 * timeline shows the run only up to t, and whether the pages show data that waits for a lost packet.
 */
export function resumeStory(session: Session, kept: ResumedStory): void {
  const {screen, display, store} = session;
  const step = kept.story?.steps[kept.step];
  if (step !== undefined) {
    const {reveal, waiting} = step.view;
    display.set(display.replaceForStep({isUpToT: reveal, freezesAtLosses: waiting}));
  }
  session.stateOf(STORY_PLAYER).resume(kept, screen.opening === null ? store.getState().run : null);
}

/** Says which drafts cannot be read, unless another notice is on screen. */
function showUnread({store, notices}: Session, {drafts}: StoryPlayer): void {
  const {unread} = drafts.store.getState();
  if (unread.length === 0 || store.getState().notice !== null) return;
  const stories = unread.length === 1 ? '1 story' : `${unread.length} stories`;
  notices.showMessage(`${stories} written here cannot be read; they stay stored`, unread);
}

/** Reads a document as a story. Returns null if the document is not in the story format. */
function readOpenedStory(opened: OpenedDocument | Uint8Array): ReadStory | null {
  if ('problem' in opened && opened.problem !== undefined) return null;
  const read = 'text' in opened ? readJson(opened.text) : readBytes(opened);
  return read.ok && isStoryDocument(read.value) ? parseStory(read.value) : null;
}
