/** Returns a function that calls `act` when it has not been called again for `restMs`. */
export function debounced(act: () => void, restMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, restMs);
  };
}
