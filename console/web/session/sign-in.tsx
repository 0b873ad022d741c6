import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { inOneText, onceProblemOf } from '../data/model/problem.js';
import { request } from '../data/request.js';
import { useTitle } from '../navigation/navigation.js';
import { sessionOverWords } from './model/one-time-code.js';

interface SignInProps {
  /** Why somebody who was signed in is asked again; empty for others. */
  readonly why?: string;
  /** Who is signed in instead, and may go on; empty if nobody is. */
  readonly other?: string;
  readonly done: (user: string) => void;
}

const COMMAND = 'kubectl create token SERVICEACCOUNT --namespace NAMESPACE';

function useSignIn(done: SignInProps['done']) {
  const [refused, refuse] = useState('');
  const [isBusy, setBusy] = useState(false);
  const signIn = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('token');
    const token = field instanceof HTMLInputElement ? field.value.trim() : '';
    setBusy(true);
    const answer = await request<{ user: string }>('/session', { method: 'POST', token });
    setBusy(false);
    if (answer === undefined) return;
    if ('value' in answer) done(answer.value.user);
    else refuse(inOneText(onceProblemOf(answer.failure)));
  };
  return { refused, isBusy, signIn };
}

/** Of somebody who signs in. */
function SignInForm({ why = '', other = '', done }: SignInProps) {
  const { refused, isBusy, signIn } = useSignIn(done);
  const said = refused === '' ? why : refused;
  return (
    <main class="sign-in">
      <h1>Sign in to Fairlead</h1>
      <form onSubmit={(event) => void signIn(event)}>
        <label for="token">Bearer token</label>
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          aria-describedby="token-help"
        />
        <p id="token-help" class="hint">
          One that the cluster accepts. You see and do what its user may. Of a ServiceAccount:
        </p>
        <p>
          <code>{COMMAND}</code>
        </p>
        {said === '' ? null : (
          <p class="banner" role="alert">
            {said}
          </p>
        )}
        <button type="submit" disabled={isBusy}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </button>
        {other === '' ? null : (
          <button type="button" onClick={() => done(other)}>
            Continue as {other}
          </button>
        )}
      </form>
    </main>
  );
}

/** Instead of all pages: nobody is signed in. */
export function SignIn(props: SignInProps) {
  useTitle('Sign in');
  return <SignInForm {...props} />;
}

/** Above the page of somebody whose session is over, which is hidden, and stays as it is for him. */
export function SignInAgain({ user, other, done }: Required<Pick<SignInProps, 'other' | 'done'>> & { user: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const show = (): void => dialog.current?.showModal();
  useLayoutEffect(() => {
    const { current } = dialog;
    show();
    return () => current?.close();
  }, []);
  return (
    <dialog ref={dialog} class="whole" aria-label="Sign in again" onCancel={(event) => event.preventDefault()}>
      <SignInForm why={sessionOverWords(user, other)} other={other} done={done} />
    </dialog>
  );
}
