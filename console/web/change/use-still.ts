import { useEffect, useRef, useState } from 'preact/hooks';

/** True once what uses it is no longer shown: what was asked for may be answered later. */
export function useGone(): { readonly current: boolean } {
  const isGone = useRef(false);
  useEffect(() => () => void (isGone.current = true), []);
  return isGone;
}

/** Asks whether it is still what was agreed to, once for a double click; the first is true while it asks. */
export function useStill(isStill: (() => Promise<boolean>) | undefined): readonly [boolean, () => Promise<boolean>] {
  const isBusy = useRef(false);
  const [isAsking, set] = useState(false);
  const still = async (): Promise<boolean> => {
    if (isStill === undefined) return true;
    if (isBusy.current) return false;
    set((isBusy.current = true));
    const is = await isStill();
    set((isBusy.current = false));
    return is;
  };
  return [isAsking, still];
}
