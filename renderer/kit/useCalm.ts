import {useEffect, useRef, useState} from 'react';
import {windowSlices} from './windowSlices.ts';

/**
 * What `make` gives, made again some time after it changed: some times a second at most, when there is time, and never
 * while a hand moves something. Null before the first.
 */
export function useCalm<T>(make: () => T): T | null {
  const [made, setMade] = useState<T | null>(null);
  const latest = useRef(make);
  const isDue = useRef(false);
  useEffect(() => {
    latest.current = make;
    if (isDue.current) return;
    isDue.current = true;
    const again = (): void => {
      isDue.current = false;
      setMade(latest.current());
    };
    window.setTimeout(() => void windowSlices(again), CALM_MS);
  }, [make]);
  return made;
}

/** Four a second. */
const CALM_MS = 250;
