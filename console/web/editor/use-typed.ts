import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/**
 * A text is one change, not one for each of its letters: what stands in a field until it is handed over, and what the
 * value of the field is when that changes elsewhere.
 */
export function useTyped(value: string) {
  const [typed, type] = useState(value);
  const known = useRef(value);
  // Before the next event: an effect after the paint would undo what is typed until then.
  useLayoutEffect(() => {
    // What was handed over here comes back late from a long text, and more may be typed by then.
    if (value !== known.current) type(value);
    known.current = value;
  }, [value]);
  const handOver = (text: string): string => (known.current = text);
  return { typed, type, handOver };
}
