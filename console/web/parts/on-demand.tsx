import { useSession } from '../session/session.js';
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Loading, Notice } from './notice.js';

interface OnDemandProps<P> {
  readonly load: () => Promise<ComponentType<P>>;
  readonly props: P;
  readonly what: string;
}

/** A part of the page that only who needs it loads. */
export function OnDemand<P extends object>({ load, props, what }: OnDemandProps<P>) {
  const [loaded, set] = useState<{ Content?: ComponentType<P>; failed?: boolean }>({});
  useEffect(() => {
    load().then(
      (Content) => set({ Content }),
      () => set({ failed: true }),
    );
  }, []);
  const { Content, failed = false } = loaded;
  if (Content !== undefined) return <Content {...props} />;
  if (!failed) return <Loading what={what} />;
  return (
    <Notice title="A part of the page could not be loaded">
      <p>The server does not answer, or has another version by now: load the page again.</p>
      <button type="button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </Notice>
  );
}

/** The same for what belongs to a user: another one begins anew. */
export function OnDemandOfUser<P extends object>(props: OnDemandProps<P>) {
  const { user } = useSession();
  return user === '' ? <Loading what="who you are" /> : <OnDemand key={user} {...props} />;
}
