import { useEffect, useState } from 'preact/hooks';
import { ApplicationPage } from './application-page.js';
import { placeOf } from './model/place.js';
import type { Problem } from './model/problem.js';
import { Link, useNavigation, WithNavigation } from './navigation.js';
import { Notice, type SignedOut } from './notice.js';
import { OverviewPage } from './overview-page.js';
import { request } from './request.js';
import { SignIn } from './sign-in.js';

interface Session {
  readonly user: string;
}

function Page({ signedOut }: { signedOut: SignedOut }) {
  const { path } = useNavigation();
  const place = placeOf(path);
  if (place.page === 'overview') return <OverviewPage signedOut={signedOut} />;
  if (place.page === 'application') return <ApplicationPage key={path} {...place} signedOut={signedOut} />;
  return (
    <Notice title="There is no such page">
      <p>
        <Link to="/">All Applications</Link>
      </p>
    </Notice>
  );
}

interface HeaderProps {
  readonly user: string;
  readonly signOut: () => void;
}

function Header({ user, signOut }: HeaderProps) {
  return (
    <header>
      <Link to="/" class="brand">
        Fairlead
      </Link>
      <span class="user" title={user}>
        {user}
      </span>
      <button type="button" class="small" onClick={signOut}>
        Sign out
      </button>
    </header>
  );
}

const FORGOTTEN: Problem = { kind: 'login', title: '', text: '' };

function useSession() {
  const [ended, end] = useState<Problem | undefined>();
  const [session, setSession] = useState<Session | undefined>();
  useEffect(() => {
    if (ended !== undefined) return;
    // Who is not known is told by the page itself.
    void request<Session>('/session').then((answer) => {
      if (answer !== undefined && 'value' in answer) setSession(answer.value);
    });
  }, [ended]);
  const signOut = async (): Promise<void> => {
    await request('/session', { method: 'DELETE' });
    setSession(undefined);
    end(FORGOTTEN);
  };
  return { ended, user: session?.user ?? '', end, begin: () => end(undefined), signOut };
}

export function Dashboard() {
  const { ended, user, end, begin, signOut } = useSession();
  if (ended !== undefined) {
    return <SignIn why={user === '' ? '' : 'You were signed out: sign in again to go on.'} done={begin} />;
  }
  return (
    <WithNavigation>
      <Header user={user} signOut={() => void signOut()} />
      <main>
        <Page signedOut={end} />
      </main>
    </WithNavigation>
  );
}
