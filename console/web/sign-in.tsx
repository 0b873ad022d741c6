import { useState } from 'preact/hooks';
import { problemOf } from './model/problem.js';
import { request } from './request.js';

interface SignInProps {
  /** Why somebody who was signed in is asked again; empty for others. */
  readonly why: string;
  readonly done: () => void;
}

const COMMAND = 'kubectl create token SERVICEACCOUNT --namespace NAMESPACE';

function useSignIn(done: () => void) {
  const [refused, refuse] = useState('');
  const [isBusy, setBusy] = useState(false);
  const signIn = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('token');
    const token = field instanceof HTMLInputElement ? field.value.trim() : '';
    setBusy(true);
    const answer = await request('/session', { method: 'POST', token });
    setBusy(false);
    if (answer === undefined || 'value' in answer) done();
    else refuse(problemOf(answer.failure).text);
  };
  return { refused, isBusy, signIn };
}

export function SignIn({ why, done }: SignInProps) {
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
      </form>
    </main>
  );
}
