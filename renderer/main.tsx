import {createRoot} from 'react-dom/client';
import {messageOf} from '../app/scenario/messageOf.ts';
import {FIRST_DEMO, findPreset} from '../app/scenario/presets.ts';
import {parseScenario} from '../app/scenario/scenario.ts';
import {App} from './App.tsx';
import {keepChoiceOver, readKeptChoice} from './experiments/keptChoice.ts';
import {openHost} from './host/openHost.ts';
import {Player} from './player.ts';
import {measureQuality} from './quality/measureQuality.ts';
import {windowSlices} from './quality/windowSlices.ts';
import {SessionContext} from './store/context.ts';
import {keepOver, readKept} from './store/kept.ts';
import {Session} from './store/session.ts';
import {keepStoryOver, readKeptStory} from './story/keptStory.ts';
import './theme.css';

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
