import { useEffect, useState } from 'preact/hooks';
import { request } from '../data/request.js';

const PAUSE_MS = 200;

/** The answer of the first path that can be read. */
export function useRead(paths: readonly string[]): unknown {
  const [read, set] = useState<unknown>();
  useEffect(() => {
    const stop = new AbortController();
    set(undefined);
    const readFirst = async (): Promise<void> => {
      for (const path of paths) {
        const answer = await request<unknown>(path, { signal: stop.signal });
        if (stop.signal.aborted) return;
        if (answer !== undefined && 'value' in answer) {
          set(answer.value);
          return;
        }
      }
    };
    // A name is typed letter by letter.
    const timer = setTimeout(() => void readFirst(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [paths.join(' ')]);
  return read;
}
