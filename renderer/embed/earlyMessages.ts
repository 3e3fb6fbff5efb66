import type {EmbedMessage, EmbedWindow} from './embedLink.ts';

/**
 * Keeps the messages to this window until the session can carry them out, but at most the first 100. The first listener
 * of the returned window gets these messages, and then all messages that arrive after it was added. The page around the
 * iframe can send commands as soon as the iframe's event `load` has fired, which is before the session is ready.
 */
export function keepMessages(frame: Window): EmbedWindow {
  const early: EmbedMessage[] = [];
  const keep = (event: EmbedMessage): void => {
    if (early.length < MOST_EARLY) early.push(event);
  };
  frame.addEventListener('message', keep);
  return {
    parent: frame.parent,
    addEventListener(type, listener) {
      frame.removeEventListener('message', keep);
      frame.addEventListener(type, listener);
      for (const event of early.splice(0)) listener(event);
    },
  };
}

const MOST_EARLY = 100;
