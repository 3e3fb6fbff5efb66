import {createRoot} from 'react-dom/client';
import {messageOf} from '../app/base/text.ts';
import {FIRST_DEMO, findPreset} from '../app/run/scenario/presets.ts';
import {parseScenario} from '../app/run/scenario/scenario.ts';
import {keepChoiceOver, readKeptChoice} from './features/experiments/keptChoice.ts';
import {keepStoryOver, readKeptStory} from './features/story/keptStory.ts';
import {openHost} from './host/openHost.ts';
import {measureQuality} from './run/quality/measureQuality.ts';
import {windowSlices} from './run/quality/windowSlices.ts';
import {SessionContext} from './session/context.ts';
import {keepOver, readKept} from './session/kept.ts';
import {Player} from './session/player.ts';
import {Session} from './session/session.ts';
import {App} from './window/App.tsx';
import './kit/theme.css';

/** Opens the window's session in the page; says so in it if that fails. */
async function open(): Promise<void> {
  const holder = document.getElementById('window');
  if (holder === null) throw new Error('index.html has no #window');
  const root = createRoot(holder);
  try {
    const demo = parseScenario(findPreset(FIRST_DEMO)?.scenario);
    if (!demo.ok) throw new Error(demo.problems[0]?.message);
    const session = new Session(await openHost(), new Player(), demo.scenario, (page, options) =>
      measureQuality(page, {...options, slices: windowSlices}),
    );
    root.render(
      <SessionContext value={session}>
        <App />
      </SessionContext>,
    );
    const kept = readKept(sessionStorage);
    keepOver(session, sessionStorage);
    const {choice} = session.experiment;
    choice.setState(readKeptChoice(sessionStorage) ?? {});
    keepChoiceOver(choice, sessionStorage);
    const keptStory = readKeptStory(sessionStorage);
    await session.start(kept);
    // what was opened meanwhile is newer
    if (keptStory !== null && session.story.store.getState().story === null) session.resumeStory(keptStory);
    keepStoryOver(session.story, sessionStorage);
  } catch (error) {
    root.render(<p role="alert">{messageOf(error)}</p>);
  }
}

void open();
