import {type ComponentType, lazy, type ReactNode, Suspense} from 'react';

/**
 * Returns a component with code of its own, which the window loads when the component is shown for the first time. Until
 * the code is there, `meanwhile` is shown.
 */
export function loadedLater<P extends object>(load: () => Promise<ComponentType<P>>, meanwhile: ReactNode = null) {
  const Loaded: ComponentType<P> = lazy(async () => ({default: await load()}));
  return function LoadedLater(props: P) {
    return (
      <Suspense fallback={meanwhile}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}
