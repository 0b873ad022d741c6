import type { ComponentType } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { PageName } from '#console/server/model/pages.js';
import { ApplicationPage } from './application/application-page.js';
import { placeOf } from './model/place.js';
import type { Problem } from './model/problem.js';
import { Link, useNavigation, WithNavigation } from './navigation.js';
import { NoSuchPage } from './no-such-page.js';
import { Loading } from './notice.js';
import { useOneTimeLogin } from './one-time-login.js';
import { OverviewPage } from './overview-page.js';
import type { PageProps } from './page.js';
import { request } from './request.js';
import { useSession, WithSession } from './session.js';
import { SignIn } from './sign-in.js';

interface Known {
  readonly user: string;
}

const CONTENTS: Readonly<Record<PageName | 'nowhere', ComponentType<PageProps>>> = {
  overview: OverviewPage,
  application: ApplicationPage,
  applicationView: ApplicationPage,
  nowhere: NoSuchPage,
};

/** The pages that every page leads to. */
const MAIN_PAGES = [{ to: '/', title: 'Applications' }];

function Page() {
  const { path } = useNavigation();
  const { page, params } = placeOf(path);
  const Content = CONTENTS[page];
  // Views of one object are one page.
  const key = JSON.stringify({ ...params, view: '' });
  return <Content key={key} params={params} />;
}

function Header({ signOut }: { signOut: () => void }) {
  const { user } = useSession();
  const { path } = useNavigation();
  return (
    <header>
      <Link to="/" class="brand">
        Fairlead
      </Link>
      <nav aria-label="Main">
        {MAIN_PAGES.map(({ to, title }) => (
          <Link key={to} to={to} current={path === to}>
            {title}
          </Link>
        ))}
      </nav>
      <span class="user" title={user}>
        {user}
      </span>
      <button type="button" class="small" onClick={signOut}>
        Sign out
      </button>
    </header>
  );
}

function SigningIn() {
  return (
    <main>
      <Loading what="the Applications: you are being signed in" />
    </main>
  );
}

const FORGOTTEN: Problem = { kind: 'login', title: '', text: '' };

function useSignedIn() {
  const [ended, end] = useState<Problem | undefined>();
  const [known, setKnown] = useState<Known | undefined>();
  useEffect(() => {
    if (ended !== undefined) return;
    // Who is not known is told by the page itself.
    void request<Known>('/session').then((answer) => {
      if (answer !== undefined && 'value' in answer) setKnown(answer.value);
    });
  }, [ended]);
  const signOut = async (): Promise<void> => {
    await request('/session', { method: 'DELETE' });
    setKnown(undefined);
    end(FORGOTTEN);
  };
  const user = known?.user ?? '';
  const session = useMemo(() => ({ user, end }), [user]);
  return { ended, session, begin: () => end(undefined), signOut };
}

function Pages() {
  const { ended, session, begin, signOut } = useSignedIn();
  if (ended !== undefined) {
    return <SignIn why={session.user === '' ? '' : 'You were signed out: sign in again to go on.'} done={begin} />;
  }
  return (
    <WithSession value={session}>
      <WithNavigation>
        <Header signOut={() => void signOut()} />
        <main>
          <Page />
        </main>
      </WithNavigation>
    </WithSession>
  );
}

interface DashboardProps {
  /** Of a link that signs in once. */
  readonly code: string | undefined;
}

export function Dashboard({ code }: DashboardProps) {
  const { isBusy, refused, forget } = useOneTimeLogin(code);
  if (refused !== '') return <SignIn why={refused} done={forget} />;
  return isBusy ? <SigningIn /> : <Pages />;
}
