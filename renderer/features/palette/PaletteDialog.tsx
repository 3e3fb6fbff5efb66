import {useContext, useEffect, useId, useMemo, useState} from 'react';
import {KEY_NAMES} from '../../kit/keyNames.ts';
import {useModal} from '../../kit/useModal.ts';
import {useSession, useSessionState} from '../../session/context.tsx';
import type {Remembered} from '../../session/remembered.ts';
import {type Command, CommandsContext} from '../feature.ts';
import {afterUse, type Entry, entriesFor} from './entries.ts';
import './palette.css';

/** The palette: a field, and below it the commands that match what is typed. */
export function PaletteDialog() {
  const {display} = useSession();
  const isOpen = useSessionState(state => state.view.dialog === 'palette');
  const dialog = useModal(isOpen);
  const close = () => display.closeDialog('palette');
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same
    <dialog
      ref={dialog}
      className="palette"
      aria-label="find a command"
      onClose={close}
      onClick={event => {
        if (event.target === event.currentTarget) close();
      }}
    >
      {isOpen && <Palette />}
    </dialog>
  );
}

/** A combobox with a list box (WAI-ARIA Authoring Practices). The focus stays in the field. */
function Palette() {
  const session = useSession();
  const commandsOf = useContext(CommandsContext);
  const commands = useMemo(() => commandsOf(session), [commandsOf, session]);
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const [refused, setRefused] = useState<string | null>(null);
  const id = useId();
  const recent = useMemo(() => recentOf(session.remembered), [session]);
  const entries = useMemo(() => entriesFor(typed, commands, recent), [typed, commands, recent]);
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({block: 'nearest'});
  }, [id, active]);
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    const {command, value} = entry;
    const reason = value === null ? null : (command.value?.set(session, value.typed) ?? null);
    setRefused(reason);
    if (reason !== null) return;
    session.remembered.set('palette', [...afterUse(recent, command.id)]);
    session.display.closeDialog('palette');
    if (value === null) command.act(session);
  };
  const move = (to: number) => setActive(Math.min(Math.max(to, 0), Math.max(entries.length - 1, 0)));
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label="command, preset, page or setting"
        aria-expanded={true}
        aria-controls={`${id}-list`}
        aria-activedescendant={entries.length === 0 ? undefined : `${id}-${active}`}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder="a command, preset, page or setting, or ‘loss 5’"
        value={typed}
        onChange={event => {
          setTyped(event.target.value);
          setActive(0);
          setRefused(null);
        }}
        onKeyDown={event => {
          const step = STEPS[event.key];
          if (event.key === 'Enter') choose(entries[active]);
          else if (step !== undefined) move(active + step);
          else return;
          event.preventDefault();
        }}
      />
      {refused !== null && (
        <p className="refused" role="alert">
          {refused}
        </p>
      )}
      <div id={`${id}-list`} role="listbox" aria-label="commands" tabIndex={-1}>
        {entries.map((entry, index) => {
          const {command, value} = entry;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the field
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field (aria-activedescendant)
            <div
              key={command.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              onClick={() => choose(entry)}
              onPointerMove={() => setActive(index)}
            >
              <span className="palette-title">
                {command.title}
                {value !== null && `: set to ${value.text}`}
              </span>
              <span className="dim">{GROUP_NAMES[command.group]}</span>
              {command.key !== undefined && <kbd>{KEY_NAMES[command.key] ?? command.key}</kbd>}
            </div>
          );
        })}
      </div>
      {entries.length === 0 && (
        <p className="dim" role="status">
          Nothing has this name
        </p>
      )}
    </>
  );
}

function recentOf(remembered: Remembered): readonly string[] {
  const stored = remembered.get('palette');
  return Array.isArray(stored) ? stored.filter(each => typeof each === 'string') : [];
}

const STEPS: {readonly [key: string]: number} = {ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10};

/**
 * The word beside a command that says what kind of command it is. It is empty for groups whose titles say this
 * themselves.
 */
const GROUP_NAMES: {readonly [G in Command['group']]: string} = {
  command: '',
  view: '',
  story: '',
  preset: '',
  page: '',
  setting: 'setting',
  speed: '',
  theme: '',
};
