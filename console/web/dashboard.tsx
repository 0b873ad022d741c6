import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useMemo, useState } from 'preact/hooks';
import type { PageName } from '../shared/pages.js';
import { ApplicationPage } from './application/application-page.js';
import { ClustersPage } from './clusters/clusters-page.js';
import { WithLive } from './data/live.js';
import { notSignedOut } from './session/model/one-time-code.js';
import { pathTo, placeOf } from './navigation/model/place.js';
import { type Failure, type Problem, problemOf } from './data/model/problem.js';
import { Link, useNavigation, WithNavigation, NoSuchPage, Skip, type PageProps } from './navigation/navigation.js';
import { NewApplicationPage } from './new-application-page.js';
import { Loading, Notice } from './parts/notice.js';
import { useOneTimeLogin } from './session/one-time-login.js';
import { OverviewPage } from './overview/overview-page.js';
import { type Answer, request, sayUser } from './data/request.js';
import { useSay, WithSaid } from './parts/said.js';
import { useSession, WithSession } from './session/session.js';
import { SignIn, SignInAgain } from './session/sign-in.js';
import { TemplatePage } from './templates/template-page.js';
import { TemplatesPage } from './templates/templates-page.js';
import { UseTemplatePage } from './templates/use-template-page.js';
import { Waiting } from './data/waiting.js';

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

interface Known {
  readonly user: string;
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

const FORGOTTEN: Problem = { kind: 'login', title: '', text: '' };

interface SignedIn {
  /** Undefined: somebody may be signed in. */
  readonly ended?: Problem;
  /** Empty until the server has said it. */
  readonly user: string;
  readonly epoch: number;
  /** Another one for each user: nobody gets to see what another one did. */
  readonly visit: number;
}

const ASK_AGAIN_MS = 5_000;

/** Some pages ask for nothing until they know who is there; that the server cannot say it, a page tells itself. */
async function knownUser(signal: AbortSignal): Promise<Answer<Known> | undefined> {
  const waiting = new Waiting();
  while (!signal.aborted) {
    const answer = await request<Known>('/session', { signal });
    if (answer !== undefined && ('value' in answer || answer.failure.code === 401)) return answer;
    await waiting.until({ ms: ASK_AGAIN_MS, calledMs: 0 }, signal);
  }
  return undefined;
}

/** Who is signed in now instead of this user, as by another tab; empty if nobody is. */
function useOther(user: string, isOver: boolean): string {
  const [other, set] = useState('');
  useEffect(() => {
    set('');
    if (!isOver || user === '') return undefined;
    const stop = new AbortController();
    void request<Known>('/session', { signal: stop.signal, isOfAnybody: true }).then((answer) => {
      if (stop.signal.aborted || answer === undefined || 'failure' in answer) return;
      if (answer.value.user !== user) set(answer.value.user);
    });
    return () => stop.abort();
  }, [user, isOver]);
  return other;
}

function useSignedIn() {
  const [{ ended, user, epoch, visit }, set] = useState<SignedIn>({ user: '', epoch: 0, visit: 0 });
  useEffect(() => {
    if (ended !== undefined || user !== '') return undefined;
    const stop = new AbortController();
    void knownUser(stop.signal).then((answer) => {
      if (answer === undefined || stop.signal.aborted) return;
      if ('value' in answer) {
        sayUser(answer.value.user);
        set((now) => ({ ...now, user: answer.value.user }));
      } else set((now) => ({ ...now, ended: problemOf(answer.failure) }));
    });
    return () => stop.abort();
  }, [ended, user]);
  const session = useMemo(() => {
    // What was asked for before somebody signed in again may be answered late.
    const end = (problem: Problem): void => set((now) => (now.epoch === epoch ? { ...now, ended: problem } : now));
    return { user, epoch, end };
  }, [user, epoch]);
  const signOut = async (): Promise<Failure | undefined> => {
    const answer = await request('/session', { method: 'DELETE' });
    // Until the server says so, the cookie is there, and stands for him.
    if (answer !== undefined && 'failure' in answer) {
      const problem = problemOf(answer.failure);
      if (problem.kind !== 'login') return answer.failure;
      session.end(problem);
      return undefined;
    }
    sayUser('');
    set((now) => ({ ...now, ended: FORGOTTEN, user: '' }));
    return undefined;
  };
  const begin = (name: string): void => {
    sayUser(name);
    set((now) => ({ user: name, epoch: now.epoch + 1, visit: now.user === name ? now.visit : now.visit + 1 }));
  };
  return { ended, session, visit, begin, signOut };
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
