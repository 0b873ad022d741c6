import { useEffect, useRef } from 'preact/hooks';

/** True once what uses it is no longer shown: what was asked for may be answered later. */
export function useGone(): { readonly current: boolean } {
  const isGone = useRef(false);
  useEffect(() => () => void (isGone.current = true), []);
  return isGone;
}
