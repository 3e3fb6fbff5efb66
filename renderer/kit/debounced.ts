/** Returns a function. When `restMs` have passed since the last call of this function, `act` is called. */
export function debounced(act: () => void, restMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, restMs);
  };
}
