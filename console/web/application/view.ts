import { useRef } from 'preact/hooks';
import type { ReadApplication } from '#queries/answers/application.js';
import type { Change } from '../change/model/change.js';

/** What each view of an Application gets. */
export interface ViewProps {
  readonly detail: ReadApplication;
  /** Of its API. */
  readonly path: string;
}

/** What a dialog about an Application gets. */
export interface ActionProps extends ViewProps {
  readonly close: () => void;
}

/** Asks for an action on this very Application: not on another one that has its name by the time of the click. */
export function useActionOn({ uid }: ReadApplication, path: string) {
  const seen = useRef(uid);
  return (action: string, body?: object): Change => ({
    ...{ method: 'POST', path: `${path}/${action}`, query: { uid: seen.current } },
    ...(body === undefined ? {} : { body }),
  });
}
