import {useEffect, useState} from 'react';

/**
 * `value` where the element is in sight. Where it is not, only what has stood for a while: a hand on a slider gives
 * one after the other, and laying out what nobody sees takes the time from what they look at.
 */
export function useWhenSeen<T>(value: T, holder: {readonly current: Element | null}): T {
  const isSeen = useIsSeen(holder);
  const [shown, setShown] = useState(value);
  if (isSeen && shown !== value) setShown(value);
  useEffect(() => {
    if (isSeen) return;
    const timer = setTimeout(() => setShown(value), REST_MS);
    return () => clearTimeout(timer);
  }, [value, isSeen]);
  return isSeen ? value : shown;
}

/** True until it is known not to be. */
function useIsSeen(holder: {readonly current: Element | null}): boolean {
  const [isSeen, setSeen] = useState(true);
  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const observer = new IntersectionObserver(entries => setSeen(entries.at(-1)?.isIntersecting ?? true));
    observer.observe(element);
    return () => observer.disconnect();
  }, [holder]);
  return isSeen;
}

/** Longer than a step of a drag takes, shorter than it takes to scroll. */
const REST_MS = 300;
