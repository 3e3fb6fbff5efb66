import {createRoot} from 'react-dom/client';
import {messageOf} from '../app/base/text.ts';
import {FIRST_DEMO, findPreset} from '../app/run/scenario/presets.ts';
import {parseScenario} from '../app/run/scenario/scenario.ts';
import {keepMessages} from './embed/earlyMessages.ts';
import {openFeatures} from './features/feature.ts';
import {FEATURES} from './features/list.ts';
import {openHost} from './host/openHost.ts';
import {loadFonts} from './kit/fonts.ts';
import {NO_STORAGE, windowStorage} from './kit/storage.ts';
import {windowSlices} from './kit/windowSlices.ts';
import {measureQuality} from './run/quality/measureQuality.ts';
import {SessionProvider} from './session/context.tsx';
import {readKept, storeForReload} from './session/keptOverReload.ts';
import {Player} from './session/player.ts';
import {Session} from './session/session.ts';
import {App} from './window/App.tsx';
import './kit/theme.css';

/** The connection to the page around this one, if this window is embedded; otherwise null. */
const frame = document.documentElement.dataset['page'] === 'embed' ? keepMessages(window) : null;

/**
 * Opens the window's session in the page, or with `?speaker` in the address, the speaker view. If the session cannot be
 * opened, the page shows the error.
 */
async function open(): Promise<void> {
  const holder = document.getElementById('window');
  if (holder === null) throw new Error('index.html has no #window');
  if (new URLSearchParams(location.search).has('speaker')) {
    const {openSpeakerView} = await import('./speaker/open.tsx');
    document.getElementById('first')?.remove();
    return openSpeakerView(holder);
  }
  const root = createRoot(holder);
  try {
    const embed = frame === null ? null : await import('./embed/embed.ts');
    const options = embed?.readEmbedOptions(location.hash);
    const features = embed !== null && options?.hasSettings === false ? embed.EMBEDDED_FEATURES : FEATURES;
    const storage = embed === null ? windowStorage() : NO_STORAGE;
    const demo = parseScenario(findPreset(FIRST_DEMO)?.scenario);
    if (!demo.ok) throw new Error(demo.problems[0]?.message);
    // if the typeface cannot be loaded, the window uses a typeface of the system
    const [host] = await Promise.all([openHost(), loadFonts().catch(console.error)]);
    const session = new Session(host, new Player(), demo.scenario, (page, options) =>
      measureQuality(page, {...options, slices: windowSlices}),
    );
    openFeatures(session, features);
    if (frame !== null && options !== undefined) embed?.beginEmbed(session, frame, options);
    removeFirst(session);
    root.render(
      <SessionProvider session={session}>
        <App features={features} />
      </SessionProvider>,
    );
    const kept = readKept(storage);
    storeForReload(session, storage);
    const restored = features.map(({restore}) => restore?.(session, storage));
    await session.start(kept);
    for (const begin of restored) begin?.();
  } catch (error) {
    document.getElementById('first')?.remove();
    root.render(<p role="alert">{messageOf(error)}</p>);
  }
}

/**
 * Removes the question that the page shows at first, when there is something else to see: a run, a dialog, a notice or
 * the state of an engine that is not ready.
 */
function removeFirst({store}: Session): void {
  const end = store.subscribe(({run, notice, engine, view}) => {
    if (run === null && notice === null && engine.state === 'ready' && view.dialog === null) return;
    document.getElementById('first')?.remove();
    end();
  });
}

void open();
