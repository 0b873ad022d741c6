import { useEffect, useState } from 'preact/hooks';
import { ageWords } from './model/age-words.js';

const EVERY_MS = 30_000;

/** Epoch milliseconds, told twice a minute: one clock for all ages of a page. */
export function useNow(): number {
  const [now, set] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => set(Date.now()), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** How long ago that was; when exactly, for who looks at it. Nothing if it is no time. */
export function Age({ time, nowMs }: { time: string; nowMs: number }) {
  const words = ageWords(nowMs - Date.parse(time));
  if (words === '') return null;
  return (
    <time dateTime={time} title={new Date(time).toLocaleString()}>
      {words}
    </time>
  );
}
