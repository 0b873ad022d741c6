import type { ComponentChildren, ComponentType } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { useOther, useSignedIn, useSession, WithSession } from './session/session.js';
import type { PageName } from '../shared/pages.js';
import { ApplicationPage } from './application/application-page.js';
import { ClustersPage } from './clusters/clusters-page.js';
import { WithLive } from './data/live.js';
import { notSignedOut } from './session/model/one-time-code.js';
import { pathTo, placeOf } from './navigation/model/place.js';
import type { Failure } from './data/model/problem.js';
import { Link, useNavigation, WithNavigation, NoSuchPage, Skip, type PageProps } from './navigation/navigation.js';
import { NewApplicationPage } from './new-application-page.js';
import { Loading, Notice } from './parts/notice.js';
import { useOneTimeLogin } from './session/one-time-login.js';
import { OverviewPage } from './overview/overview-page.js';
import { useSay, WithSaid } from './parts/said.js';
import { SignIn, SignInAgain } from './session/sign-in.js';
import { TemplatePage } from './templates/template-page.js';
import { TemplatesPage } from './templates/templates-page.js';
import { UseTemplatePage } from './templates/use-template-page.js';

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}

/** A page that cannot be drawn says so, and leaves the way to the others: an answer may be that of another version. */
function Guarded({ children }: { children: ComponentChildren }) {
  const [error] = useErrorBoundary() as [unknown, () => void];
  if (error === undefined) return <>{children}</>;
  return (
    <>
      <h1>This page cannot be shown</h1>
      <Notice title="The server answers what the page does not understand">
        <p>It may have another version by now: load the page again. The error is: {messageOf(error)}</p>
        <button type="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </Notice>
    </>
  );
}

const CONTENTS: Readonly<Record<PageName | 'nowhere', ComponentType<PageProps>>> = {
  overview: OverviewPage,
  newApplication: NewApplicationPage,
  application: ApplicationPage,
  applicationView: ApplicationPage,
  clusters: ClustersPage,
  templates: TemplatesPage,
  template: TemplatePage,
  useTemplate: UseTemplatePage,
  nowhere: NoSuchPage,
};

/** The pages that every page leads to. */
const MAIN_PAGES = [
  { to: '/', title: 'Applications' },
  { to: pathTo('clusters'), title: 'Clusters' },
  { to: pathTo('templates'), title: 'Templates' },
  { to: pathTo('newApplication'), title: 'New Application' },
];

function Page() {
  const { path } = useNavigation();
  const { page, params } = placeOf(path);
  const Content = CONTENTS[page];
  // Views of one object are one page.
  const key = JSON.stringify([page === 'applicationView' ? 'application' : page, { ...params, view: '' }]);
  return (
    <Guarded key={key}>
      <Content params={params} />
    </Guarded>
  );
}

interface SignOutProps {
  /** Undefined: it is done. */
  readonly signOut: () => Promise<Failure | undefined>;
}

function Header({ signOut }: SignOutProps) {
  const { user } = useSession();
  const { path } = useNavigation();
  const say = useSay();
  const leave = async (): Promise<void> => {
    const failure = await signOut();
    if (failure !== undefined) say(notSignedOut(failure));
  };
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
      <button type="button" class="small" onClick={() => void leave()}>
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

function Shell({ isOn, signOut }: SignOutProps & { isOn: boolean }) {
  return (
    <WithLive isOn={isOn}>
      <WithNavigation>
        <div hidden={!isOn}>
          <WithSaid>
            <Skip to="main">Skip to the content</Skip>
            <Header signOut={signOut} />
            <main id="main" tabIndex={-1}>
              <Page />
            </main>
          </WithSaid>
        </div>
      </WithNavigation>
    </WithLive>
  );
}

function Pages() {
  const { ended, session, visit, begin, signOut } = useSignedIn();
  const isOn = ended === undefined;
  const other = useOther(session.user, !isOn);
  if (!isOn && session.user === '') return <SignIn done={begin} />;
  return (
    <>
      <WithSession value={session}>
        <Shell key={visit} isOn={isOn} signOut={signOut} />
      </WithSession>
      {isOn ? null : <SignInAgain user={session.user} other={other} done={begin} />}
    </>
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
